#include "chronoveil/report/draw/scale.h"

#include <algorithm>
#include <cmath>

namespace chronoveil::report {

double Scale::position(double value) const {
  if (std::isnan(value)) return 0;
  return std::clamp((value - low) / (high - low), 0.0, 1.0);
}

std::vector<double> Scale::ticks() const {
  std::vector<double> all;
  const long count = std::lround((high - low) / unit);
  const double first = std::round(low / unit);
  for (long i = 0; i <= count; ++i) all.push_back((first + static_cast<double>(i)) * unit);
  return all;
}

Scale nice_scale(double low, double high, int count) {
  if (!(std::isfinite(low) && std::isfinite(high)) || low > high) return {};
  if (low >= 0 && low < high / 2) low = 0;
  if (!(high - low > std::max(std::fabs(low), std::fabs(high)) * 1e-9)) {
    const double margin = high == 0 ? 1 : std::fabs(high) * 0.1;
    low -= low >= 0 && low < margin ? low : margin;
    high += margin;
  }
  const double rough = (high - low) / count;
  const double power = std::pow(10.0, std::floor(std::log10(rough)));
  const double lead = rough / power;
  const double unit = power * (lead <= 1.5 ? 1 : lead <= 3 ? 2 : lead <= 7 ? 5 : 10);
  // A bound that equals a tick up to its last bits is a tick.
  return {.low = std::floor(low / unit + 1e-9) * unit, .high = std::ceil(high / unit - 1e-9) * unit, .unit = unit};
}

double LogScale::position(double value) const {
  if (!(value > 0)) return 0;
  return std::clamp((std::log10(value) - low) / (high - low), 0.0, 1.0);
}

std::vector<double> LogScale::ticks(int most) const {
  const int every = (high - low + most) / most;
  std::vector<double> all;
  for (int power = high; power >= low; power -= every) all.insert(all.begin(), std::pow(10.0, power));
  return all;
}

LogScale log_scale(double low, double high) {
  constexpr int kMostPowers = 15;
  if (!(std::isfinite(low) && std::isfinite(high)) || low <= 0 || high < low) return {};
  // A bound that equals a power of ten up to its last bits is one.
  const int above = static_cast<int>(std::ceil(std::log10(high) - 1e-9));
  const int below = static_cast<int>(std::floor(std::log10(low) + 1e-9));
  return {.low = std::clamp(below, above - kMostPowers, above - 1), .high = above};
}

}  // namespace chronoveil::report
