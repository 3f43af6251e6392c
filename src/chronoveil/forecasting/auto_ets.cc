#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>

#include "chronoveil/forecasting/baselines.h"
#include "chronoveil/forecasting/ets.h"
#include "chronoveil/forecasting/nelder_mead.h"

namespace chronoveil::forecasting {
namespace {

constexpr std::size_t kMostFitted = 2000;   // steps, the last ones: what was long ago says little, and takes long
constexpr std::size_t kFewestSeasons = 10;  // but at least so many seasons, if there are
constexpr std::size_t kFirstSeasons = 8;    // of which the starting values are made
constexpr int kEvaluations = 400;
constexpr int kPaths = 2000;
double logistic(double x) { return 1 / (1 + std::exp(-x)); }
bool is_there(float value) { return !std::isnan(value); }

double mean_of(std::span<const float> values, double otherwise) {
  double sum = 0;
  std::int64_t count = 0;
  for (const float value : values)
    if (is_there(value)) {
      sum += value;
      ++count;
    }
  return count > 0 ? sum / static_cast<double>(count) : otherwise;
}

// Starting values out of the first seasons: deviations from the mean of each season, then a line through what is left.
EtsState start_of(const EtsKind& kind, std::span<const float> values, std::size_t season) {
  const bool multiplied = kind.season == EtsKind::Season::multiplicative;
  EtsState state;
  const double overall = mean_of(values, 0);
  std::vector<double> adjusted;
  const std::size_t first = std::min(values.size(), std::max<std::size_t>(10, 2 * season));
  if (kind.season != EtsKind::Season::none) {
    std::vector<double> sums(season), counts(season);
    const std::size_t seasons = std::min(kFirstSeasons, values.size() / season);
    for (std::size_t k = 0; k < seasons; ++k) {
      const std::span<const float> one = values.subspan(k * season, season);
      const double mean = mean_of(one, overall);
      for (std::size_t i = 0; i < season; ++i) {
        if (!is_there(one[i]) || (multiplied && !(std::abs(mean) > 1e-10))) continue;
        sums[i] += multiplied ? one[i] / mean : one[i] - mean;
        counts[i] += 1;
      }
    }
    double total = 0;
    for (std::size_t i = 0; i < season; ++i) {
      state.season.push_back(counts[i] > 0 ? sums[i] / counts[i] : (multiplied ? 1 : 0));
      total += state.season.back();
    }
    // They average to nothing: the level has the rest.
    const double average = total / static_cast<double>(season);
    for (double& one : state.season)
      one = multiplied ? (average > 1e-10 ? std::max(one / average, 1e-2) : 1) : one - average;
  }
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (std::size_t i = 0; i < first; ++i) {
    if (!is_there(values[i])) continue;
    double y = values[i];
    if (!state.season.empty()) y = multiplied ? y / state.season[i % season] : y - state.season[i % season];
    const double x = static_cast<double>(i) + 1;
    n += 1;
    sx += x;
    sy += y;
    sxx += x * x;
    sxy += x * y;
  }
  const double mean = n > 0 ? sy / n : overall;
  if (kind.trend == EtsKind::Trend::none) {
    state.level = mean;
  } else {
    const double denominator = n * sxx - sx * sx;
    state.slope = denominator > 0 ? (n * sxy - sx * sy) / denominator : 0;
    state.level = n > 0 ? mean - state.slope * sx / n : overall;
  }
  return state;
}

struct Candidate {
  EtsKind kind;
  EtsParameters parameters;
  EtsFit fit;
  double aicc = std::numeric_limits<double>::infinity();
};

// Smoothing parameters, and the starting level and slope, by maximum likelihood. Starting seasons stay as they are:
// there are many, and their weight is gone after a few seasons.
Candidate fitted(const EtsKind& kind, std::span<const float> values, std::size_t season) {
  const bool trend = kind.trend != EtsKind::Trend::none, damped = kind.trend == EtsKind::Trend::damped;
  const bool seasonal = kind.season != EtsKind::Season::none;
  const EtsState first = start_of(kind, values, season);
  double spread = 0;
  for (const float value : values)
    if (is_there(value)) spread = std::max(spread, std::abs(value - first.level));
  if (!(spread > 0)) spread = 1;
  struct Read {
    EtsParameters parameters;
    EtsState start;
  };
  const auto read = [&](const std::vector<double>& x) {
    Read all{{}, first};
    std::size_t i = 0;
    all.parameters.alpha = 1e-4 + 0.9998 * logistic(x[i++]);
    all.start.level = first.level + spread * x[i++];
    if (trend) {
      all.parameters.beta = all.parameters.alpha * (1e-4 + 0.9998 * logistic(x[i++]));
      all.start.slope = first.slope + 0.1 * spread * x[i++];
    }
    if (seasonal) all.parameters.gamma = (1 - all.parameters.alpha) * (1e-4 + 0.9998 * logistic(x[i++]));
    all.parameters.phi = damped ? 0.8 + 0.18 * logistic(x[i++]) : 1;
    return all;
  };
  std::vector<double> start{0, 0};
  if (trend) start.insert(start.end(), {-2, 0});
  if (seasonal) start.push_back(-2);
  if (damped) start.push_back(1);
  const auto deviance = [&](const std::vector<double>& x) {
    const Read all = read(x);
    return ets_filter(kind, all.parameters, all.start, values).deviance;
  };
  const Read best = read(nelder_mead(deviance, start, 0.7, kEvaluations));
  Candidate candidate{kind, best.parameters, ets_filter(kind, best.parameters, best.start, values)};
  const double k = static_cast<double>(start.size() + first.season.size() + 1);
  const double n = static_cast<double>(candidate.fit.observed);
  if (n > k + 1) candidate.aicc = candidate.fit.deviance + 2 * k + 2 * k * (k + 1) / (n - k - 1);
  return candidate;
}

// Additive errors and seasons: the forecasts are normal, with variance σ² (1 + Σ_{j<h} c_j²),
//   c_j = α + β (φ + ... + φ^j) + γ 1{m divides j} [HKOS08, ch. 6].
void normal_quantiles(const Candidate& model, Forecast& forecast) {
  const std::size_t m = model.fit.end.season.size();
  double ahead = 0, power = 1, sum = 1;  // of φ^j
  const EtsParameters& p = model.parameters;
  const bool trend = model.kind.trend != EtsKind::Trend::none;
  for (std::size_t h = 1; h <= static_cast<std::size_t>(forecast.length); ++h) {
    power *= p.phi;
    ahead += power;
    const double season = m > 0 ? model.fit.end.season[(h - 1) % m] : 0;
    const double mean = model.fit.end.level + (trend ? ahead * model.fit.end.slope : 0) + season;
    const double deviation = std::sqrt(model.fit.variance * sum);
    for (const double normal : kNormalQuantiles)
      forecast.quantiles.push_back(static_cast<float>(mean + normal * deviation));
    const double c = p.alpha + (trend ? p.beta * ahead : 0) + (m > 0 && h % m == 0 ? p.gamma : 0);
    sum += c * c;
  }
}

// All others by drawing paths, always the same ones.
void simulated_quantiles(const Candidate& model, Forecast& forecast) {
  const auto length = static_cast<std::size_t>(forecast.length);
  const bool trend = model.kind.trend != EtsKind::Trend::none;
  const bool multiplied = model.kind.season == EtsKind::Season::multiplicative;
  const EtsParameters& p = model.parameters;
  const std::size_t m = model.fit.end.season.size();
  std::mt19937_64 engine(20'08);
  std::normal_distribution<double> normal(0, std::sqrt(model.fit.variance));
  std::vector<float> drawn(length * kPaths);
  for (std::size_t path = 0; path < kPaths; ++path) {
    EtsState state = model.fit.end;
    for (std::size_t h = 0; h < length; ++h) {
      const double expected = trend ? p.phi * state.slope : 0;
      const double q = state.level + expected;
      double* const season = m > 0 ? &state.season[h % m] : nullptr;
      const double mean = !season ? q : multiplied ? q * *season : q + *season;
      const double error = normal(engine);
      const double y = model.kind.multiplicative_error ? mean * (1 + error) : mean + error;
      drawn[h * kPaths + path] = static_cast<float>(y);
      double deseasoned = y;
      if (season) deseasoned = !multiplied ? y - *season : std::abs(*season) > 1e-10 ? y / *season : q;
      const double level = q + p.alpha * (deseasoned - q);
      if (trend) state.slope = expected + p.beta / p.alpha * (level - state.level - expected);
      if (season) {
        const double target = !multiplied ? y - q : std::abs(q) > 1e-10 ? y / q : *season;
        *season += p.gamma * (target - *season);
      }
      state.level = level;
    }
  }
  for (std::size_t h = 0; h < length; ++h) {
    const auto quantiles = quantiles_of(std::span(drawn).subspan(h * kPaths, kPaths));
    forecast.quantiles.insert(forecast.quantiles.end(), quantiles.begin(), quantiles.end());
  }
}

}  // namespace

Result<Forecast> auto_ets(std::span<const float> values, std::int64_t season, std::int64_t length) {
  if (season < 1) return invalid("season", std::to_string(season), "it must be at least 1");
  if (length < 1) return invalid("length", std::to_string(length), "it must be at least 1");
  const auto m = static_cast<std::size_t>(season);
  const std::size_t most = std::max(kMostFitted, kFewestSeasons * m);
  if (values.size() > most) values = values.last(most);
  while (!values.empty() && !is_there(values.front())) values = values.subspan(1);
  Forecast forecast;
  forecast.length = length;
  float lowest = std::numeric_limits<float>::infinity(), highest = -lowest;
  for (const float value : values)
    if (is_there(value)) {
      lowest = std::min(lowest, value);
      highest = std::max(highest, value);
    }
  // Nothing to learn from, or nothing that changes.
  if (!(lowest < highest)) {
    const float only = lowest <= highest ? lowest : 0;
    forecast.quantiles.assign(static_cast<std::size_t>(length) * kLevels.size(), only);
    return forecast;
  }
  const bool seasonal = m > 1 && values.size() >= 2 * m + 5;
  std::optional<Candidate> best;
  for (const EtsKind& kind : ets_kinds(seasonal, lowest > 0)) {
    Candidate candidate = fitted(kind, values, m);
    if (!best || candidate.aicc < best->aicc) best = std::move(candidate);
  }
  if (!std::isfinite(best->aicc)) {
    // Too few values for any: the simplest model, whatever its price.
    best = fitted({}, values, m);
  }
  if (best->kind.multiplicative_error)
    simulated_quantiles(*best, forecast);
  else
    normal_quantiles(*best, forecast);
  return forecast;
}

}  // namespace chronoveil::forecasting
