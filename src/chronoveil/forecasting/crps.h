// CRPS, approximated by the mean weighted quantile loss: Σ 2 ρ_q(y, ŷ_q) / Σ |y| at each level q = 0.1, ..., 0.9 over
// all test windows, steps and channels, averaged over levels; ρ_q(y, x) = (y - x)(q - 1{y < x}). Missing values are
// left out of both sums. 0 for a forecast that is always right.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "chronoveil/forecasting/forecast.h"

namespace chronoveil::forecasting {

class QuantileLoss {
 public:
  // `truth` [L_F, D], NaN where missing. Precondition: the forecast has quantiles for as many.
  void add(const Forecast&, std::span<const float> truth);
  void merge(const QuantileLoss&);
  double crps() const;  // NaN when nothing was added or every true value is 0
  double at(std::size_t level) const;

 private:
  std::array<double, kLevels.size()> loss_{};
  double total_ = 0;
};

}  // namespace chronoveil::forecasting
