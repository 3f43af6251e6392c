// The guarantee in one line, for what is passed on without its page.
#pragma once

#include <string>

#include "chronoveil/base/guarantee.h"

namespace chronoveil::report {

// "Differential privacy with ε = 1, δ = 1e-6, unit user"; of what is not private, its mark.
std::string guarantee_line(const Guarantee&, const std::string& mark);

}  // namespace chronoveil::report
