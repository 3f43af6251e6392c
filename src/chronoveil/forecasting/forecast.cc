#include "chronoveil/forecasting/forecast.h"

#include <algorithm>
#include <cmath>

namespace chronoveil::forecasting {

std::array<float, 9> quantiles_of(std::span<float> values) {
  std::array<float, 9> quantiles{};
  if (values.empty()) {
    quantiles.fill(std::numeric_limits<float>::quiet_NaN());
    return quantiles;
  }
  std::sort(values.begin(), values.end());
  const std::size_t last = values.size() - 1;
  for (std::size_t i = 0; i < kLevels.size(); ++i) {
    // (i + 1) / 10 in integers: level × last in doubles may fall just below an order statistic.
    const std::size_t tenths = (i + 1) * last, below = tenths / 10;
    const double share = static_cast<double>(tenths % 10) / 10;
    const double low = values[below], high = values[std::min(below + 1, last)];
    quantiles[i] = static_cast<float>(low + share * (high - low));
  }
  return quantiles;
}

}  // namespace chronoveil::forecasting
