// From the rows of a look to its noisy numbers: the only place where a look touches data.
#pragma once

#include <vector>

#include "chronoveil/bound/people/people_counted.h"
#include "chronoveil/data/record_source.h"
#include "chronoveil/engine/look/look.h"
#include "chronoveil/mechanisms/draws.h"

namespace chronoveil::engine {

Result<bound::PeopleCounted> count_people(const Job&, const LookPlanned&, data::RecordSource&, DrawRight& right);

// The bins of all questions one after another, with noise.
Result<std::vector<double>> measure_people(const LookPlanned&, const bound::PeopleCounted&, mechanisms::Draws&);

}  // namespace chronoveil::engine
