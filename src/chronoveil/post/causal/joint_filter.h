// Estimates many series at the current step from their noisy values so far, and their sum: the live counterpart of
// joint denoising. Post-processing: it sees released values and public facts only, and so does all that it keeps.
//
// Every value is z_s(t) = x_s(t) + N(0, R). Series are dealt into K = min(S, 8) folds, series s into s mod K.
//   f       of a fold: the causal filter (filter.h) on the mean of the S_o values of other folds, noise R/S_o
//   P       of a series: the causal filter on z_s
//   J       of a series: the causal filter on z_s − a_s f, plus a_s f;  a_s = Σ z f/(R + Σ f²) over the past, which
//           fades by 1 − 1/(4B) per step, B the season, or 1 − 1/400 without one
// They are mixed with the weights W ∝ Q · (10 π + Σ W of other folds a step ago)/(10 + S_o), π = (¾, ¼), Q by Stein's
// estimate of the risk so far (stein_weights.h). The likelihood of predictions would say which one predicts, not which
// one estimates, and prefers the worse for counts that are mostly 0. Where series have nothing in common, P remains.
//   mean      Σ W x̂
//   gain      Σ W V_bank/R. It is ∂x̂/∂z, since weights, a and f do not know z_s(t) (and a little more where the filter
//             takes the variance of its best model)
//   variance  Σ W (V + (x̂ − mean)²),  V_J = min(R, V_bank (1 + f²/(R + Σ f²)) + a² var f), raised as in calibration.h,
//             at most R
//   total     see total.h; Σ x̂ keeps the share h = 1/S Σ_s (gain_s + W_J (1 − V_J,bank/R) a_s gain_f) of its own noise
//   Missing   a step without a value is predicted, and stands in the mean of others as P predicts it; weights stay
//   Edges     one series, or `joint` false: P alone, so the means are those of the causal filter bit by bit; before the
//             first value: mean 0, variance infinity; the first value: itself, variance R
//   Cost      O(S) per step besides two banks per series; nothing is random
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chronoveil/base/state_words.h"
#include "chronoveil/post/causal/calibration.h"
#include "chronoveil/post/causal/filter.h"
#include "chronoveil/post/causal/stein_weights.h"
#include "chronoveil/post/causal/total.h"

namespace chronoveil::post {

struct JointFilterSpec {
  std::int64_t series = 1;
  CausalSpec each = {};
  bool joint = true;
};

class JointFilter {
 public:
  explicit JointFilter(const JointFilterSpec&);

  // One step further. `measured`: the noisy values, nothing where a series did not report; `out`: one per series.
  void step(std::span<const std::optional<double>> measured, std::span<CausalValue> out);
  // The sum of all series at that step; only of several.
  const CausalValue& total() const { return total_now_; }

  void save(StateWriter&) const;
  void load(StateReader&);

 private:
  // What a series keeps for J.
  struct Beside {
    CausalFilter filter;
    SteinWeights<2> weights{{0.5, 0.5}};  // Q
    double products = 0, squares = 0;     // Σ z f, Σ f²
    double alone = 0.75;                  // W of P, a step ago
  };
  struct Fold {
    CausalFilter filter;
    double others = 0;                        // S_o
    double alone = 0;                         // Σ W of P over the others, a step ago
    double mean = 0, variance = 0, gain = 0;  // f, and its own noise; of the step at hand
  };
  struct Mixed {
    CausalValue value;     // the variance in units of R
    double gain = 0;       // ∂x̂/∂z
    double through_f = 0;  // W_J (1 − V_J,bank/R) a gain_f
  };

  void look_at_others(std::span<const std::optional<double>> measured);
  Mixed mix(std::size_t series, const std::optional<double>& measured);

  CausalSpec each_;
  double forget_;
  std::vector<CausalFilter> alone_;  // P
  std::vector<Beside> beside_;       // J; none without it
  std::vector<Fold> folds_;          // the same
  CausalCalibration calibration_;
  std::optional<CausalTotal> total_;    // of several series
  std::vector<CausalValue> alone_now_;  // P at the step at hand
  CausalValue total_now_;
};

}  // namespace chronoveil::post
