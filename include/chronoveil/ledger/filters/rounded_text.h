// Numbers for people, in a few digits, rounded so that a request for the printed number is admitted.
#pragma once

#include <string>

namespace chronoveil::ledger {

// The value to six significant digits: the nearest, or never below it (the least noise that fits), or never above it
// (what is left). 0 is "0".
std::string rounded(double value);
std::string rounded_up(double value);
std::string rounded_down(double value);

}  // namespace chronoveil::ledger
