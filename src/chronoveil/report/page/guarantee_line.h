// The guarantee in one line, for what is passed on without its page.
#pragma once

#include <string>

#include "chronoveil/base/guarantee.h"

namespace chronoveil::report {

// "Differential privacy with ε = 1, δ = 1e-6, unit user"; which values may be swapped; of what is not private, its
// mark, and of what only a paper says about single outputs, that.
std::string guarantee_line(const Guarantee&, const std::string& mark);

}  // namespace chronoveil::report
