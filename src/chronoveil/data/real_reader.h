// Text to real numbers: the nearest double to a decimal number that takes the whole field, blanks around it aside.
//   "12", "-0.5", ".5", "12." and "1.2e1" are numbers; a leading plus, hexadecimal, a decimal comma, NaN and empty text
//   are not. Infinity and numbers too large for a double are refused; numbers too small for one are 0.
#pragma once

#include <string_view>

namespace chronoveil::data {

enum class RealProblem { none, empty, form, infinite };

// The number is written only if there is no problem; it is finite.
RealProblem read_real(std::string_view text, double& number);
std::string_view explain(RealProblem);

}  // namespace chronoveil::data
