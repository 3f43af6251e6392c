#include "chronoveil/forecasting/ets.h"

#include <cmath>
#include <limits>

namespace chronoveil::forecasting {

EtsFit ets_filter(const EtsKind& kind, const EtsParameters& p, EtsState state, std::span<const float> values) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const bool additive_season = kind.season == EtsKind::Season::additive;
  const bool multiplied_season = kind.season == EtsKind::Season::multiplicative;
  const bool trend = kind.trend != EtsKind::Trend::none;
  const std::size_t m = state.season.size();
  EtsFit fit;
  double squares = 0, logs = 0;
  std::size_t place = 0;  // of the season that is next
  for (const float value : values) {
    const double q = state.level + (trend ? p.phi * state.slope : 0);
    const double s = m > 0 ? state.season[place] : 0;
    double y = q;  // of a missing value: what was expected
    double forecast = q;
    if (additive_season) forecast = q + s;
    if (multiplied_season) forecast = q * s;
    y = std::isnan(value) ? forecast : static_cast<double>(value);
    if (!std::isnan(value)) {
      double error = y - forecast;
      if (kind.multiplicative_error) {
        if (!(std::abs(forecast) > 1e-10)) {
          fit.deviance = kInfinite;
          return fit;
        }
        error /= forecast;
        logs += std::log(std::abs(forecast));
      }
      squares += error * error;
      ++fit.observed;
    }
    double deseasoned = y;
    if (additive_season) deseasoned = y - s;
    if (multiplied_season) deseasoned = std::abs(s) > 1e-10 ? y / s : q;
    const double level = q + p.alpha * (deseasoned - q);
    if (trend) {
      const double expected = p.phi * state.slope;
      state.slope = expected + p.beta / p.alpha * (level - state.level - expected);
    }
    if (m > 0) {
      double target = y - q;
      if (multiplied_season) target = std::abs(q) > 1e-10 ? y / q : s;
      state.season[place] = s + p.gamma * (target - s);
      place = place + 1 == m ? 0 : place + 1;
    }
    state.level = level;
    if (!(std::abs(level) < 1e300)) {
      fit.deviance = kInfinite;
      return fit;
    }
  }
  // The season of the next step comes first.
  for (std::size_t i = 0; i < m; ++i) fit.end.season.push_back(state.season[(place + i) % m]);
  fit.end.level = state.level;
  fit.end.slope = state.slope;
  const double n = static_cast<double>(fit.observed);
  fit.deviance = fit.observed == 0 ? kInfinite : n * std::log(std::max(squares, 1e-300)) + 2 * logs;
  fit.variance = fit.observed == 0 ? 0 : squares / n;
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

}  // namespace chronoveil::forecasting
