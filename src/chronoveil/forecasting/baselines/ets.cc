#include "chronoveil/forecasting/baselines/ets.h"

#include <algorithm>
#include <limits>
#include <random>

#include "chronoveil/forecasting/baselines/ets_step.h"
#include "chronoveil/forecasting/forecast.h"

namespace chronoveil::forecasting {
namespace {

constexpr std::size_t kPaths = 2000;

// The nearest float that is finite: paths of multiplicative errors may grow beyond all bounds.
float finite_float(double value) {
  constexpr double kMost = std::numeric_limits<float>::max();
  return std::isnan(value) ? 0 : static_cast<float>(std::clamp(value, -kMost, kMost));
}

}  // namespace

EtsFit ets_filter(const EtsKind& kind, const EtsParameters& p, EtsState state, std::span<const float> values) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  EtsFit fit;
  double logs = 0;
  std::size_t place = 0;
  for (const float value : values) {
    const EtsStep step = ets_next(kind, p, state, place);
    double y = step.expected;
    if (!std::isnan(value)) {
      y = static_cast<double>(value);
      double error = y - step.expected;
      if (kind.multiplicative_error) {
        if (!(std::abs(step.expected) > 1e-10)) {
          fit.deviance = kInfinite;
          return fit;
        }
        error /= step.expected;
        logs += std::log(std::abs(step.expected));
      }
      fit.squares += error * error;
      ++fit.observed;
    }
    ets_learn(kind, p, step, y, state);
    if (++place >= state.season.size()) place = 0;
    if (!(std::abs(state.level) < 1e300)) {
      fit.deviance = kInfinite;
      return fit;
    }
  }
  std::rotate(state.season.begin(), state.season.begin() + static_cast<std::ptrdiff_t>(place), state.season.end());
  fit.end = std::move(state);
  const double n = static_cast<double>(fit.observed);
  fit.deviance = fit.observed == 0 ? kInfinite : n * std::log(std::max(fit.squares, 1e-300)) + 2 * logs;
  return fit;
}

std::vector<EtsKind> ets_kinds(bool seasonal, bool positive) {
  std::vector<EtsKind> kinds;
  for (const bool multiplicative : {false, true}) {
    if (multiplicative && !positive) continue;
    for (const auto trend : {EtsKind::Trend::none, EtsKind::Trend::additive, EtsKind::Trend::damped}) {
      kinds.push_back({multiplicative, trend, EtsKind::Season::none});
      if (!seasonal) continue;
      kinds.push_back({multiplicative, trend, EtsKind::Season::additive});
      if (multiplicative) kinds.push_back({multiplicative, trend, EtsKind::Season::multiplicative});
    }
  }
  return kinds;
}

std::vector<float> ets_normal_quantiles(const EtsModel& model, std::int64_t length) {
  const EtsParameters& p = model.parameters;
  const EtsState& state = model.state;
  const bool trend = model.kind.trend != EtsKind::Trend::none;
  const std::size_t m = state.season.size();
  std::vector<float> quantiles;
  double power = 1, powers = 0, sum = 1;  // φ^h; φ + ... + φ^h; 1 + Σ c²
  for (std::size_t h = 1; h <= static_cast<std::size_t>(length); ++h) {
    power *= p.phi;
    powers += power;
    const double season = m > 0 ? state.season[(h - 1) % m] : 0;
    const double mean = state.level + (trend ? powers * state.slope : 0) + season;
    const double deviation = std::sqrt(model.variance * sum);
    for (const double normal : kNormalQuantiles) quantiles.push_back(finite_float(mean + normal * deviation));
    const double c = p.alpha + (trend ? p.beta * powers : 0) + (m > 0 && h % m == 0 ? p.gamma : 0);
    sum += c * c;
  }
  return quantiles;
}

std::vector<float> ets_drawn_quantiles(const EtsModel& model, std::int64_t length) {
  const auto steps = static_cast<std::size_t>(length);
  std::mt19937_64 engine(2008);
  std::normal_distribution<double> normal(0, std::sqrt(model.variance));
  std::vector<float> drawn(steps * kPaths);
  for (std::size_t path = 0; path < kPaths; ++path) {
    EtsState state = model.state;
    std::size_t place = 0;
    for (std::size_t h = 0; h < steps; ++h) {
      const EtsStep step = ets_next(model.kind, model.parameters, state, place);
      const double error = normal(engine);
      const double y = step.expected + (model.kind.multiplicative_error ? step.expected * error : error);
      drawn[h * kPaths + path] = finite_float(y);
      ets_learn(model.kind, model.parameters, step, y, state);
      if (++place >= state.season.size()) place = 0;
    }
  }
  std::vector<float> quantiles;
  for (std::size_t h = 0; h < steps; ++h) {
    const auto of_step = quantiles_of(std::span(drawn).subspan(h * kPaths, kPaths));
    quantiles.insert(quantiles.end(), of_step.begin(), of_step.end());
  }
  return quantiles;
}

}  // namespace chronoveil::forecasting
