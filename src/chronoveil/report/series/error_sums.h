// Errors over a part of an evaluation.
#pragma once

#include <cstddef>

#include "chronoveil/report/series/writers.h"

namespace chronoveil::report {

// Over the values [from, to), series-major. All zero if there is nothing to compare.
Errors errors_between(const Evaluation&, std::size_t from, std::size_t to);

}  // namespace chronoveil::report
