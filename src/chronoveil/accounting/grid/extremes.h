// The larger and the smaller of two numbers, where NaN wins. std::max and std::min may drop a NaN and with it a bound:
// computed with these, the result is NaN, which check_masses() or the price refuses.
#pragma once

#include <cmath>

namespace chronoveil::accounting {

template <class T>
T larger(T a, T b) {
  return a < b || std::isnan(b) ? b : a;
}

template <class T>
T smaller(T a, T b) {
  return b < a || std::isnan(b) ? b : a;
}

}  // namespace chronoveil::accounting
