// A history that is itself sensitive: before a model reads it, each of its steps is kept with probability r and the
// kept ones get noise; gaps are filled from what was kept. What is forecast from it is post-processing.
//   Privacy   the D values of a step are clamped to [lower, upper], so a changed step moves by at most
//             v = √D (upper - lower). Event time_subsampling {participation w, rate r, noise_multiplier σ/v} [Koga22],
//             once per forecast, for any number of series: which steps are kept is independent of the data
//   Noise     rounded Gaussian on a grid of the values, exact
//   Refused   a rate so small that δ alone would cover what is kept
//   Missing   values count as the middle of the bounds: whether a value is missing is protected like a value
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/base/guarantee.h"
#include "chronoveil/base/result.h"

namespace chronoveil::training {

enum class GapFill { linear, mean };

struct PrivateHistory {
  std::string dataset;
  std::string purpose;
  double epsilon = 0;
  double delta = 0;
  double rate = 0.5;               // r
  std::int64_t changed_steps = 1;  // w
  double lower = 0, upper = 0;
  GapFill fill = GapFill::linear;
};

struct PrivateHistoryPlan {
  PrivateHistory asked;
  accounting::Event event;
  accounting::Price price;
  double noise = 0;  // σ, in the units of the values
  Guarantee guarantee;
  std::vector<std::string> not_protected;  // sentences
};
// Errors name the option: "epsilon", "rate", ...
Result<PrivateHistoryPlan> plan_history(const PrivateHistory&, std::int64_t channels);

}  // namespace chronoveil::training
