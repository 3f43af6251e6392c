// One step of exponential smoothing, the same for the filter and for drawing paths; formulas in ets.h.
#pragma once

#include <cmath>

#include "chronoveil/forecasting/baselines/ets.h"

namespace chronoveil::forecasting {

struct EtsStep {
  double slope = 0;          // φ b
  double unseasoned = 0;     // q
  double expected = 0;       // ŷ
  double* season = nullptr;  // of this step
};

// `place` of the season that is next, in 0, ..., m - 1.
inline EtsStep ets_next(const EtsKind& kind, const EtsParameters& p, EtsState& state, std::size_t place) {
  EtsStep step;
  if (kind.trend != EtsKind::Trend::none) step.slope = p.phi * state.slope;
  step.unseasoned = step.expected = state.level + step.slope;
  if (kind.season == EtsKind::Season::none) return step;
  step.season = &state.season[place];
  step.expected =
      kind.season == EtsKind::Season::additive ? step.unseasoned + *step.season : step.unseasoned * *step.season;
  return step;
}

inline void ets_learn(const EtsKind& kind, const EtsParameters& p, const EtsStep& step, double y, EtsState& state) {
  constexpr double kSmallest = 1e-10;
  const double q = step.unseasoned;
  double deseasoned = y;
  if (step.season) {
    double& s = *step.season;
    double target = y - q;
    if (kind.season == EtsKind::Season::additive) {
      deseasoned = y - s;
    } else {
      deseasoned = std::abs(s) > kSmallest ? y / s : q;
      target = std::abs(q) > kSmallest ? y / q : s;
    }
    s += p.gamma * (target - s);
  }
  state.level = q + p.alpha * (deseasoned - q);
  if (kind.trend != EtsKind::Trend::none) state.slope = step.slope + p.beta / p.alpha * (state.level - q);
}

}  // namespace chronoveil::forecasting
