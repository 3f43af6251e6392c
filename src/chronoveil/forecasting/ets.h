// Exponential smoothing in state space form [HKSG02]: level l, slope b, season s, one source of error ε.
//   q = l + φ b,   ŷ = q,  q + s  or  q s          (no, additive or multiplicative season)
//   ε = y - ŷ  or  (y - ŷ) / ŷ                     (additive or multiplicative error)
//   l' = q + α (p - q),  p = y, y - s or y / s;   b' = φ b + (β/α) (l' - l - φ b);   s' = s + γ (t - s),  t = y - q or
//   y / q
// The trend is absent (b = 0), additive (φ = 1) or damped (0.8 <= φ <= 0.98). A missing value has ε = 0.
#pragma once

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

// The filter over a series: the state after it, and its likelihood.
struct EtsFit {
  EtsState end;
  double deviance =
      0;  // n ln Σ ε² + 2 Σ ln |r|, r = ŷ for multiplicative errors and 1 otherwise; infinite where it fails
  double variance = 0;  // Σ ε² / n
  std::int64_t observed = 0;
};
EtsFit ets_filter(const EtsKind&, const EtsParameters&, EtsState start, std::span<const float> values);

// Which models there are for such data, one of which auto_ets chooses by AICc: additive errors without multiplicative
// seasons (they are unstable), and multiplicative errors where everything is positive.
std::vector<EtsKind> ets_kinds(bool seasonal, bool positive);

}  // namespace chronoveil::forecasting
