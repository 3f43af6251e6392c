#include "chronoveil/report/document/intervals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "chronoveil/report/document/numbers.h"

namespace chronoveil::report {

std::string between_words(double value, double lower, double upper) {
  const std::string number = rounded(value);
  if (std::isfinite(lower) && std::isfinite(upper))
    return fmt::format("{}, between {} and {}", number, rounded(lower), rounded(upper));
  if (std::isfinite(lower)) return fmt::format("{}, at least {}", number, rounded(lower));
  if (std::isfinite(upper)) return fmt::format("{}, at most {}", number, rounded(upper));
  return number + ", without bounds";
}

double usual_width(std::span<const double> lower, std::span<const double> upper) {
  if (lower.empty()) return 0;
  std::vector<double> widths(lower.size());
  for (std::size_t i = 0; i < lower.size(); ++i) widths[i] = upper[i] - lower[i];
  const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(widths.size() / 2);
  std::nth_element(widths.begin(), middle, widths.end());
  return *middle;
}

bool some_differ(std::span<const double> lower, std::span<const double> upper) {
  return !lower.empty() &&
         *std::max_element(lower.begin(), lower.end()) > *std::min_element(upper.begin(), upper.end());
}

std::optional<std::size_t> clear_maximum(std::span<const double> lower, std::span<const double> upper) {
  if (lower.size() < 2) return std::nullopt;
  const auto at = static_cast<std::size_t>(std::max_element(lower.begin(), lower.end()) - lower.begin());
  for (std::size_t i = 0; i < upper.size(); ++i)
    if (i != at && upper[i] >= lower[at]) return std::nullopt;
  return at;
}

bool uninformative(std::span<const double> value, std::span<const double> lower, std::span<const double> upper) {
  double low = 0, high = 0;
  for (const double one : value) {
    if (!std::isfinite(one)) continue;
    low = std::min(low, one);
    high = std::max(high, one);
  }
  return !value.empty() && usual_width(lower, upper) >= high - low;
}

}  // namespace chronoveil::report
