// The drawings of a perturbed series.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/report/draw/frame.h"
#include "chronoveil/report/page/page.h"
#include "chronoveil/report/perturbed/perturbed.h"

namespace chronoveil::report {

// A drawing, which a page and a picture show each in its own way; functions called _figure make HTML of it.
struct Figure {
  std::vector<LegendEntry> legend;
  std::optional<Frame> frame;  // none if there is nothing to draw
  Table numbers;               // behind it
};

// How far values move, as bars by distance; values released earlier than measured are to the left. Distances share bars
// if there are many. `realised` is an outline over the bars of the law; none in anything that is published.
Figure moves_drawn(const mechanisms::Moves& law, const mechanisms::Moves* realised = nullptr);
std::string moves_figure(const mechanisms::Moves& law, const mechanisms::Moves* realised = nullptr);

// δ over ε, certified, with the promise and a paper's point on it. None if there is no curve.
Figure curve_drawn(const Perturbed&);
std::string curve_figure(const Perturbed&);

// The moving averages before and after, for the owner only.
std::string averages_figure(const PerturbedInternal::Column&, std::size_t number);

}  // namespace chronoveil::report
