// The larger and the smaller of two numbers, where one that is not a number wins. std::max and std::min would drop it,
// and a bound with it: what is computed with these ends as NaN, and check_masses() or the price refuses that.
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
