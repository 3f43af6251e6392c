#include "chronoveil/forecasting/crps.h"

#include <cmath>
#include <limits>
#include <numeric>

namespace chronoveil::forecasting {

void QuantileLoss::add(const Forecast& forecast, std::span<const float> truth) {
  const float* quantiles = forecast.quantiles.data();
  for (const float value : truth) {
    if (!std::isnan(value)) {
      const double y = value;
      total_ += std::abs(y);
      for (std::size_t i = 0; i < kLevels.size(); ++i) {
        const double x = quantiles[i];
        loss_[i] += 2 * (y - x) * (kLevels[i] - (y < x ? 1 : 0));
      }
    }
    quantiles += kLevels.size();
  }
}

void QuantileLoss::merge(const QuantileLoss& other) {
  for (std::size_t i = 0; i < loss_.size(); ++i) loss_[i] += other.loss_[i];
  total_ += other.total_;
}

double QuantileLoss::at(std::size_t level) const {
  return total_ > 0 ? loss_[level] / total_ : std::numeric_limits<double>::quiet_NaN();
}

double QuantileLoss::crps() const {
  if (!(total_ > 0)) return std::numeric_limits<double>::quiet_NaN();
  return std::accumulate(loss_.begin(), loss_.end(), 0.0) / (total_ * static_cast<double>(loss_.size()));
}

}  // namespace chronoveil::forecasting
