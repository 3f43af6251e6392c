// The probability that any of many losses is infinite: 1 − Π (1 − δ_i)^n_i, to its last digits however small each δ is.
#pragma once

#include <cmath>

#include "chronoveil/accounting/grid/extremes.h"

namespace chronoveil::accounting {

class AnyInfinite {
 public:
  // `times` losses that are infinite with probability `each`, 0 to 1; more counts as 1.
  void add(double each, double times) {
    if (each > 0 || std::isnan(each)) log_none_ += times * std::log1p(-static_cast<long double>(smaller(each, 1.0)));
  }
  // Between 0 and 1, rounded outward. Nothing added: exactly 0.
  double upper() const { return smaller(1.0, static_cast<double>(-std::expm1(log_none_)) * (1 + kError)); }
  double lower() const { return static_cast<double>(-std::expm1(log_none_)) * (1 - kError); }

 private:
  static constexpr double kError = 1e-14;
  long double log_none_ = 0;  // 64 bits: a hundred thousand roundings stay within kError
};

}  // namespace chronoveil::accounting
