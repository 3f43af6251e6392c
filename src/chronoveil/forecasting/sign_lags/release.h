// The one look that sign_lags takes at the data: all products of signs with Gaussian noise. What follows is
// post-processing.
//   Noise     rounded N(0, σ²) on integers, independent for every product; σ = noise multiplier · Δ, rounded up
//             (sensitivity.h). Rounding is post-processing of N(0, σ²), so the event is accounting::Gaussian of this
//             noise multiplier, once                                                                   [BalleWang18]
//   Edges     refused (usage): a noise multiplier that is not positive and finite, a σ beyond 2^40, no product at all;
//             a right that is used up (internal)
#pragma once

#include <cstdint>
#include <vector>

#include "chronoveil/base/draw_right.h"
#include "chronoveil/forecasting/sign_lags/signs.h"

namespace chronoveil::forecasting {

// All that a model knows of the data, and as good as the model itself: it can be stored and read anywhere.
struct SignRelease {
  SignLagsConfig config;
  std::vector<std::int64_t> products;  // [J, K + 1], noise included
  std::vector<std::int64_t> counts;    // [J, K + 1], public
  double noise = 0;                    // σ; 0: none, which is not private
};

// The σ that release() adds; public, so that a plan can show it.
Result<double> sign_noise(const SignLagsConfig&, double noise_multiplier, std::int64_t protected_values);

Result<SignRelease> release(const SignProducts&, double noise_multiplier, std::int64_t protected_values, DrawRight&);

// The products themselves: not private, for comparison alone.
Result<SignRelease> without_noise(const SignProducts&);

// Refused (bad data) unless sizes fit the configuration, counts are those of some lengths (positive at first, never
// rising with the lag) and the noise is finite: what a model file has to pass.
Result<void> check_release(const SignRelease&);

}  // namespace chronoveil::forecasting
