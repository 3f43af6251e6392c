// The sum of all series at the current step. Errors of series that were filtered one by one share a bias, which adds
// up, so the sum y of the noisy values, whose noise has the variance S R, is filtered by itself. Three estimates of it
// are mixed by Stein's estimate of their risk (stein_weights.h), with prior shares ½, ¼, ¼:
//   by itself   a bank of models on y
//   sum         Σ x̂ of the series; its gain h is known, see JointFilter
//   mended      Σ x̂ + √S · bank(d), d = (y − Σ x̂)/√S, a bank whose noise has the variance R max(1 − h̄, 0.02), h̄ the
//               mean of h over the first 50 steps; its gain is h + (1 − h) that of the bank. Σ x̂ before step 50
// The variance is that of the bank on y and Σ w (estimate − mixture)², raised as in calibration.h, at most S R. The
// correction is not spread back to the series.
//   Missing   where a series did not report, its prediction stands in y, too, and its variance is added
//   Edges     before the first value of all: Σ x̂, variance infinity
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "chronoveil/base/state_words.h"
#include "chronoveil/post/causal/calibration.h"
#include "chronoveil/post/causal/filter.h"
#include "chronoveil/post/causal/stein_weights.h"

namespace chronoveil::post {

// What is known of a step of all series.
struct CausalParts {
  bool measured = false;  // at least one of them
  double noisy = 0;       // y
  double estimate = 0;    // Σ x̂
  double gain = 0;        // h: the share of its own noise that Σ x̂ contains
  double missing = 0;     // the variances of those that did not report, added up
};

class CausalTotal {
 public:
  CausalTotal(std::size_t series, const CausalSpec& each);

  CausalValue step(const CausalParts&);

  void save(StateWriter&) const;
  void load(StateReader&);

 private:
  static constexpr std::int64_t kLooks = 50;  // steps until the noise of what is left is fixed
  void start_mending(double left);

  double series_;
  CausalSpec each_;
  double noise_variance_;  // S R
  CausalFilter alone_;
  std::int64_t looks_ = 0;
  double gains_ = 0;  // h, added up over the looks
  double left_ = 0;   // max(1 − h̄, 0.02), once it is fixed
  std::optional<CausalFilter> mending_;
  SteinWeights<3> weights_;
  CausalCalibration calibration_;
};

}  // namespace chronoveil::post
