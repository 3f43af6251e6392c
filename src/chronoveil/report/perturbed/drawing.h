// The drawings of a perturbed series.
#pragma once

#include <cstddef>
#include <string>

#include "chronoveil/report/perturbed/perturbed.h"

namespace chronoveil::report {

// How far values move, as bars by distance; values released earlier than measured are to the left. Distances share bars
// if there are many. `realised` is an outline over the bars of the law; none in anything that is published.
std::string moves_figure(const mechanisms::Moves& law, const mechanisms::Moves* realised = nullptr);

// δ over ε, certified, with the promise and a paper's point on it. Empty if there is no curve.
std::string curve_figure(const Perturbed&);

// The moving averages before and after, for the owner only.
std::string averages_figure(const PerturbedInternal::Column&, std::size_t number);

}  // namespace chronoveil::report
