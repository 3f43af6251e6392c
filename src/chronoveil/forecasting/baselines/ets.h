// Exponential smoothing in state space form [HKSG02]: level l, slope b, season s of the step, one source of error ε.
//   q = l + φ b;   ŷ = q, q + s or q s                       no, additive or multiplicative season
//   ε = y - ŷ or (y - ŷ) / ŷ                                 additive or multiplicative error
//   l' = q + α (p - q),   p = y, y - s or y / s
//   b' = φ b + (β / α) (l' - q)
//   s' = s + γ (t - s),   t = y - q or y / q
// The trend is absent (b = 0), additive (φ = 1) or damped (0.8 <= φ <= 0.98). A missing value is taken as expected: ε =
// 0. If p or t would divide by less than 1e-10, the level or the season is unchanged.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace chronoveil::forecasting {

struct EtsKind {
  enum class Trend { none, additive, damped };
  enum class Season { none, additive, multiplicative };
  bool multiplicative_error = false;
  Trend trend = Trend::none;
  Season season = Season::none;
};

struct EtsState {
  double level = 0, slope = 0;
  std::vector<double> season;  // of the next step first
};

struct EtsParameters {
  double alpha = 0.1, beta = 0.01, gamma = 0.01, phi = 1;
};

// A model at the end of what it has seen; `variance` is that of ε.
struct EtsModel {
  EtsKind kind;
  EtsParameters parameters;
  EtsState state;
  double variance = 0;
};

// The filter over a series: the state after it, and its likelihood.
struct EtsFit {
  EtsState end;
  // n ln Σ ε² + 2 Σ ln |r| over the n observed values, r = ŷ for multiplicative errors and 1 otherwise: -2 ln of the
  // likelihood up to a constant. Infinite without values, and if a multiplicative error divides by less than 1e-10.
  double deviance = 0;
  double squares = 0;  // Σ ε²
  std::int64_t observed = 0;
};
EtsFit ets_filter(const EtsKind&, const EtsParameters&, EtsState start, std::span<const float> values);

// The candidate models for such data: additive errors without multiplicative seasons (they are unstable), and
// multiplicative errors where everything is positive.
std::vector<EtsKind> ets_kinds(bool seasonal, bool positive);

// The candidate with the least AICc = deviance + 2k + 2k (k + 1) / (n - k - 1), k = smoothing parameters + free
// starting values + 1; if there are too few values for any, only level and additive error. Seasonal models need two
// seasons and five more values. Of long series only the last 2000 steps are read, or the last 10 seasons if those are
// longer. variance = Σ ε² / (n - k), over n where n <= k. Precondition: at least two observed values differ,
// season >= 1.
EtsModel chosen_ets(std::span<const float> values, std::int64_t season);

// Quantiles [length, 9] at kLevels, finite, never falling along the levels.
// In closed form: normal with variance σ² (1 + Σ_{j<h} c_j²), c_j = α + β (φ + ... + φ^j) + γ 1{m divides j}
// [HKOS08, ch. 6]. Precondition: additive error, no multiplicative season.
std::vector<float> ets_normal_quantiles(const EtsModel&, std::int64_t length);
// By drawing paths with a fixed seed.
std::vector<float> ets_drawn_quantiles(const EtsModel&, std::int64_t length);

}  // namespace chronoveil::forecasting
