#include "chronoveil/forecasting/sampling.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "chronoveil/noise/subset.h"
#include "chronoveil/noise/uniform.h"

namespace chronoveil::forecasting {

Result<WindowSampler> WindowSampler::make(const SamplingScheme& scheme, const WindowShape& shape,
                                          std::vector<std::int64_t> lengths) {
  if (scheme.windows_per_series < 1)
    return invalid("windows_per_series", std::to_string(scheme.windows_per_series), "at least 1");
  if (scheme.batch_size < scheme.windows_per_series)
    return invalid("batch_size", std::to_string(scheme.batch_size),
                   "at least windows_per_series (" + std::to_string(scheme.windows_per_series) + ")");
  if (scheme.group() > std::ssize(lengths))
    return invalid("batch_size", std::to_string(scheme.batch_size),
                   "such that batch_size / windows_per_series is at most the number of series (" +
                       std::to_string(lengths.size()) + ")");
  if (shape.context < 0) return invalid("context_length", std::to_string(shape.context), "at least 0");
  if (shape.forecast < 1) return invalid("forecast_length", std::to_string(shape.forecast), "at least 1");
  const std::int64_t shortest = *std::min_element(lengths.begin(), lengths.end());
  if (shortest < shape.forecast)
    return invalid("forecast_length", std::to_string(shape.forecast),
                   "at most the length of the shortest series (" + std::to_string(shortest) + ")");
  return WindowSampler(scheme, shape, std::move(lengths));
}

WindowSampler::WindowSampler(const SamplingScheme& scheme, const WindowShape& shape, std::vector<std::int64_t> lengths)
    : scheme_(scheme), windows_(std::move(lengths)) {
  for (std::int64_t& length : windows_) length = shape.windows(length);
}

std::int64_t WindowSampler::steps_per_epoch() const {
  return (std::ssize(windows_) + scheme_.group() - 1) / scheme_.group();
}

std::int64_t WindowSampler::most_windows() const {
  if (scheme_.bottom == BottomLevel::with_replacement) return 0;
  return scheme_.group() * *std::max_element(windows_.begin(), windows_.end());
}

std::vector<std::int64_t> WindowSampler::draw_series(std::int64_t step, BitSource& bits) const {
  const std::int64_t series = std::ssize(windows_), group = scheme_.group();
  // 1 <= group <= series since make(): the subset cannot be refused.
  if (scheme_.top == TopLevel::without_replacement) {
    std::vector<std::int64_t> drawn = *noise::fixed_size_subset(series, group, bits);
    for (std::int64_t last = group - 1; last > 0; --last)
      std::swap(drawn[static_cast<std::size_t>(last)],
                drawn[static_cast<std::size_t>(noise::uniform_between(0, last, bits))]);
    return drawn;
  }
  const std::int64_t first = step % steps_per_epoch() * group;
  std::vector<std::int64_t> chosen(static_cast<std::size_t>(std::min(group, series - first)));
  std::iota(chosen.begin(), chosen.end(), first);
  return chosen;
}

Result<std::vector<Window>> WindowSampler::draw(std::int64_t step, DrawRight& right) const {
  CV_TRY(BitSource* const bits, right.bits());
  const std::int64_t wanted = scheme_.windows_per_series;
  std::vector<Window> drawn;
  drawn.reserve(static_cast<std::size_t>(scheme_.batch_size));
  for (const std::int64_t series : draw_series(step, *bits)) {
    const std::int64_t windows = windows_[static_cast<std::size_t>(series)];
    if (scheme_.bottom == BottomLevel::with_replacement) {
      for (std::int64_t i = 0; i < wanted; ++i)
        drawn.push_back({series, noise::uniform_between(0, windows - 1, *bits)});
    } else {
      const auto starts = noise::poisson_subset(windows, std::min(wanted, windows), windows, *bits);
      for (const std::int64_t start : *starts) drawn.push_back({series, start});
    }
  }
  return drawn;
}

}  // namespace chronoveil::forecasting
