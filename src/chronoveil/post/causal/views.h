// What each model of the causal filter says of a step. All variances of the bank are in units of the noise variance R.
#pragma once

#include <span>

namespace chronoveil::post {

// One entry per model.
struct CausalViews {
  std::span<double> mean, variance;  // of the truth at this step: predicted, or after its value
  std::span<double> spread;          // of the value around its prediction: at least 1
  std::span<double> surprise;        // (value − prediction)² / (2 spread R)
};

}  // namespace chronoveil::post
