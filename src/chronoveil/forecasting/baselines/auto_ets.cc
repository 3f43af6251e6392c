#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "chronoveil/forecasting/baselines/baselines.h"
#include "chronoveil/forecasting/baselines/ets.h"
#include "chronoveil/forecasting/baselines/nelder_mead.h"

namespace chronoveil::forecasting {
namespace {

using Values = std::span<const float>;

constexpr std::size_t kMostFitted = 2000;   // the last steps: older ones say little, and take long
constexpr std::size_t kFewestSeasons = 10;  // but at least this many seasons, if there are
constexpr std::size_t kFirstSeasons = 8;    // that give the starting values
constexpr int kEvaluations = 400;

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
bool is_there(float value) { return !std::isnan(value); }

Values recent(Values values, std::size_t season) {
  const std::size_t most = std::max(kMostFitted, kFewestSeasons * season);
  if (values.size() > most) values = values.last(most);
  while (!values.empty() && !is_there(values.front())) values = values.subspan(1);
  return values;
}

bool varies(Values values) {
  float first = std::numeric_limits<float>::quiet_NaN();
  for (const float value : values) {
    if (is_there(value) && is_there(first) && value != first) return true;
    if (is_there(value)) first = value;
  }
  return false;
}

double mean_of(Values values, double otherwise) {
  double sum = 0;
  std::int64_t count = 0;
  for (const float value : values) {
    if (!is_there(value)) continue;
    sum += value;
    ++count;
  }
  return count > 0 ? sum / static_cast<double>(count) : otherwise;
}

// The first seasons, each relative to its own mean, averaged; then normalised to have no effect on the level.
std::vector<double> first_season(bool multiplied, Values values, std::size_t season) {
  const double neutral = multiplied ? 1 : 0;
  std::vector<double> sums(season), counts(season), average(season, neutral);
  const std::size_t seasons = std::min(kFirstSeasons, values.size() / season);
  for (std::size_t k = 0; k < seasons; ++k) {
    const Values one = values.subspan(k * season, season);
    const double mean = mean_of(one, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < season; ++i) {
      if (!is_there(one[i])) continue;
      sums[i] += multiplied ? one[i] / mean : one[i] - mean;
      counts[i] += 1;
    }
  }
  double total = 0;
  for (std::size_t i = 0; i < season; ++i) {
    if (counts[i] > 0) average[i] = sums[i] / counts[i];
    total += average[i];
  }
  const double rest = total / static_cast<double>(season);
  for (double& one : average) one = multiplied ? std::max(one / rest, 1e-2) : one - rest;
  return average;
}

// Starting values: a season, then the mean of, or a line through, the first values without it.
EtsState start_of(const EtsKind& kind, Values values, std::size_t season) {
  const bool multiplied = kind.season == EtsKind::Season::multiplicative;
  EtsState state;
  if (kind.season != EtsKind::Season::none) state.season = first_season(multiplied, values, season);
  const std::size_t first = std::min(values.size(), std::max<std::size_t>(10, 2 * season));
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < first; ++i) {
    if (!is_there(values[i])) continue;
    const double s = state.season.empty() ? 0 : state.season[i % season];
    const double x = static_cast<double>(i) + 1, y = multiplied ? values[i] / s : values[i] - s;
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  // The first value is there, so n >= 1.
  const double denominator = n * sxx - sx * sx;
  if (kind.trend != EtsKind::Trend::none && denominator > 0) state.slope = (n * sxy - sx * sy) / denominator;
  state.level = (sy - state.slope * sx) / n;
  return state;
}

struct Candidate {
  EtsModel model;
  double aicc = std::numeric_limits<double>::infinity();
};

// Smoothing parameters, and the starting level and slope, by maximum likelihood. Starting seasons are not fitted: they
// are many, and their weight is gone after a few seasons.
Candidate fitted(const EtsKind& kind, Values values, std::size_t season) {
  const bool trend = kind.trend != EtsKind::Trend::none, damped = kind.trend == EtsKind::Trend::damped;
  const bool seasonal = kind.season != EtsKind::Season::none;
  const EtsState first = start_of(kind, values, season);
  double spread = 0;
  for (const float value : values)
    if (is_there(value)) spread = std::max(spread, std::abs(value - first.level));
  struct Point {
    EtsParameters parameters;
    EtsState start;
  };
  const auto read = [&](const std::vector<double>& x) {
    Point all{{}, first};
    EtsParameters& p = all.parameters;
    std::size_t i = 0;
    p.alpha = 1e-4 + 0.9998 * logistic(x[i++]);
    all.start.level += spread * x[i++];
    if (trend) {
      p.beta = p.alpha * (1e-4 + 0.9998 * logistic(x[i++]));
      all.start.slope += 0.1 * spread * x[i++];
    }
    if (seasonal) p.gamma = (1 - p.alpha) * (1e-4 + 0.9998 * logistic(x[i++]));
    if (damped) p.phi = 0.8 + 0.18 * logistic(x[i++]);
    return all;
  };
  const auto deviance = [&](const std::vector<double>& x) {
    const Point all = read(x);
    return ets_filter(kind, all.parameters, all.start, values).deviance;
  };
  // The likelihood has several peaks: one where the level follows each value, one where seasons and slope explain more.
  std::vector<double> found;
  for (const double level_weight : {0., -3.}) {
    std::vector<double> start{level_weight, 0};
    if (trend) start.insert(start.end(), {-2, 0});
    if (seasonal) start.push_back(-2);
    if (damped) start.push_back(1);
    std::vector<double> peak = nelder_mead(deviance, start, 0.7, kEvaluations);
    if (found.empty() || deviance(peak) < deviance(found)) found = std::move(peak);
  }
  const Point best = read(found);
  EtsFit fit = ets_filter(kind, best.parameters, best.start, values);
  // One season follows from the others; the variance is one more parameter.
  const double k = static_cast<double>(found.size() + (seasonal ? season - 1 : 0) + 1);
  const double n = static_cast<double>(fit.observed);
  Candidate candidate{{kind, best.parameters, std::move(fit.end), fit.squares / (n > k ? n - k : n)}};
  if (n > k + 1) candidate.aicc = fit.deviance + 2 * k + 2 * k * (k + 1) / (n - k - 1);
  return candidate;
}

}  // namespace

EtsModel chosen_ets(Values values, std::int64_t season) {
  const auto m = static_cast<std::size_t>(season);
  values = recent(values, m);
  const bool positive = std::none_of(values.begin(), values.end(), [](float value) { return value <= 0; });
  const bool seasonal = m > 1 && values.size() >= 2 * m + 5;
  // The first has only a level and an additive error.
  std::optional<Candidate> best;
  for (const EtsKind& kind : ets_kinds(seasonal, positive)) {
    Candidate candidate = fitted(kind, values, seasonal ? m : 1);
    if (!best || candidate.aicc < best->aicc) best = std::move(candidate);
  }
  return std::move(best->model);
}

Result<Forecast> auto_ets(Values values, std::int64_t season, std::int64_t length) {
  if (season < 1) return invalid("season", std::to_string(season), "at least 1");
  if (length < 1) return invalid("length", std::to_string(length), "at least 1");
  const auto last = std::find_if(values.rbegin(), values.rend(), is_there);
  if (last == values.rend())
    return fail(ErrorKind::bad_data, "values", "none is observed; a forecast needs at least one");
  Forecast forecast;
  forecast.length = length;
  if (!varies(recent(values, static_cast<std::size_t>(season)))) {
    forecast.quantiles.assign(static_cast<std::size_t>(length) * kLevels.size(), *last);
    return forecast;
  }
  const EtsModel model = chosen_ets(values, season);
  forecast.quantiles =
      model.kind.multiplicative_error ? ets_drawn_quantiles(model, length) : ets_normal_quantiles(model, length);
  return forecast;
}

}  // namespace chronoveil::forecasting
