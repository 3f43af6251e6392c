// Errors over a part of an evaluation.
#pragma once

#include <cstddef>

#include "chronoveil/report/series/writers.h"

namespace chronoveil::report {

// Over the values [from, to), series-major. Nothing to compare is no error.
Errors errors_between(const Evaluation&, std::size_t from, std::size_t to);

}  // namespace chronoveil::report
