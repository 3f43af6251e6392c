// Estimates a series at the current step from its noisy values so far: the live counterpart of shrink. Post-processing:
// it sees released values and public facts only.
//
// Every value is z_t = x_t + N(0, R). A bank of models says how the truth x moves; all of them follow all values.
//   level      x_t = x_{t−1} + N(0, q)
//              q = R 4^k, k = −10..6, 9, 13, 18, 30 (the last four: jumps)
//   relative   the same with q = (2^−k max(x̂, 1))², x̂ the model's estimate before: counts move in proportion
//              k = 0..9
//   irregular  x_t = l_t + N(0, v), l a level
//              q = R 10^k, k = −6, −4, −2, each with v = R 10^(j/2), j = −2..2
//   trend      x_t = x_{t−1} + b_t, b_t = b_{t−1} + N(0, c), b_0 ~ N(0, 256 c)
//              c = R 8^k, k = −8..2
//   small      a level that starts as N(0, R g/(1 − g)): for long near 0, compared with the noise
//              g = 10^(−k/2), k = 1..8, q = R g/1000
//   season     x_t = l_t + Σ_j (a_j cos 2πjt/s + b_j sin 2πjt/s) + N(0, v), j = 1..min(6, s/2), l a level; a_j and b_j
//              start as N(0, A/j²) and walk with a hundredth of that per season. Only with a season, s >= 2
//              q = R 10^−5, R 10^−2, each with (A, v) = (0.03 R, 0), (0.3 R, R/10), (3 R, 0.3 R), (30 R, 10 R)
// Levels other than `small` start with no prior knowledge: from the first value, with its noise (and irregularity).
//
// All families have the same prior weight, shared equally by their models: π per model. With L the density of the value
// under a model's prediction, the weights after it are
//   w_t ∝ ((1 − κ) w_{t−1} + κ π) L,      κ = 1/1000: which model is best may change [HerbsterWarmuth98]
// A step without a value leaves the weights unchanged. Published are
//   mean       Σ w μ
//   variance   Σ w (V + (μ − mean)²), and not less than V + (μ − mean)² of the model with the largest weight
// with μ and V of the truth under each model, given all values so far. In a step without a value only models with
// w >= 1/1000 count: rare jumps would make every prediction useless.
//   Edges      before the first value: mean 0, variance infinity; the first value: itself, variance R
//   Cost       no allocation per step; time and memory do not depend on the season
#pragma once

#include <cstdint>
#include <memory>

#include "chronoveil/base/state_words.h"

namespace chronoveil::post {

struct CausalSpec {
  double noise_variance = 0;  // R > 0
  std::int64_t season = 0;    // public: steps after which the series roughly repeats; below 2: none
};

struct CausalValue {
  double mean = 0;
  double variance = 0;  // of the truth around the mean; infinity before the first value
};

class CausalFilter {
 public:
  explicit CausalFilter(const CausalSpec&);
  CausalFilter(CausalFilter&&) noexcept;
  ~CausalFilter();

  // One step further, with the value measured there.
  CausalValue update(double measured);
  // One step further without a value: the prediction.
  CausalValue predict();

  void save(StateWriter&) const;
  void load(StateReader&);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace chronoveil::post
