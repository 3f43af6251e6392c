#include <cmath>
#include <optional>
#include <string>

#include "chronoveil/forecasting/baselines/baselines.h"

namespace chronoveil::forecasting {
namespace {

using Values = std::span<const float>;

bool observed(Values values, std::int64_t step) { return !std::isnan(values[static_cast<std::size_t>(step)]); }

// √(mean square) of changes from one season to the next; empty if no step is observed in two seasons.
std::optional<double> seasonal_deviation(Values values, std::int64_t season) {
  double squares = 0;
  std::int64_t count = 0;
  for (std::int64_t t = season; t < std::ssize(values); ++t) {
    if (!observed(values, t) || !observed(values, t - season)) continue;
    const double change = static_cast<double>(values[static_cast<std::size_t>(t)]) -
                          static_cast<double>(values[static_cast<std::size_t>(t - season)]);
    squares += change * change;
    ++count;
  }
  if (count == 0) return std::nullopt;
  return std::sqrt(squares / static_cast<double>(count));
}

// The last observed step that is a whole number of seasons before `step`, or -1.
std::int64_t source_of(Values values, std::int64_t step, std::int64_t season) {
  std::int64_t source = step - (step - std::ssize(values) + season) / season * season;
  while (source >= 0 && !observed(values, source)) source -= season;
  return source < 0 ? -1 : source;
}

}  // namespace

Result<Forecast> seasonal_naive(Values values, std::int64_t season, std::int64_t length) {
  if (season < 1) return invalid("season", std::to_string(season), "at least 1");
  if (length < 1) return invalid("length", std::to_string(length), "at least 1");
  const std::int64_t steps = std::ssize(values);
  const std::int64_t last = source_of(values, steps, 1);
  if (last < 0) return fail(ErrorKind::bad_data, "values", "none is observed; a forecast needs at least one");
  if (steps < season) season = 1;
  double deviation = 0;
  if (const auto seasonal = seasonal_deviation(values, season)) {
    deviation = *seasonal;
  } else if (const auto plain = seasonal_deviation(values, 1)) {
    deviation = *plain;
  }
  Forecast forecast;
  forecast.length = length;
  forecast.quantiles.reserve(static_cast<std::size_t>(length) * kLevels.size());
  for (std::int64_t step = steps; step < steps + length; ++step) {
    const std::int64_t same = source_of(values, step, season), source = same < 0 ? last : same;
    const std::int64_t seasons = (step - source + season - 1) / season;
    const double middle = values[static_cast<std::size_t>(source)];
    const double spread = deviation * std::sqrt(static_cast<double>(seasons));
    for (const double z : kNormalQuantiles) forecast.quantiles.push_back(static_cast<float>(middle + z * spread));
  }
  return forecast;
}

}  // namespace chronoveil::forecasting
