// From released products of signs to weights of past differences: post-processing, computed from the release alone and
// the same on every machine for the same numbers.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/forecasting/sign_lags/release.h"

namespace chronoveil::forecasting {

struct SeasonWeights {
  std::vector<double> weights;    // [F, P], of the newest difference first
  std::vector<double> variances;  // [F]: what is left of a difference's variance, between 0.05 and 1
};

struct SignLagsModel {
  SignLagsConfig config;
  std::vector<SeasonWeights> seasons;  // one for each
};

// Refused (bad data) like check_release().
Result<SignLagsModel> model_of(const SignRelease&);

// The model that has seen no data, which ε = 0 leaves: no weights, all of the variance. An average of repeated seasons
// with a local spread.
SignLagsModel without_data(const SignLagsConfig&);

// Parts, for tests.
// The correlations ρ(0..K) of one season, positive definite, and the noise τ(k) that each had.
struct Correlations {
  std::vector<double> rho, noise;
};
Correlations correlations_of(std::span<const std::int64_t> products, std::span<const std::int64_t> counts,
                             double noise);

// x with (T + λI) x = b, T the symmetric Toeplitz matrix of `first_row`, by Levinson's recursion, for the F right hand
// sides b_h = (ρ_h, ..., ρ_{h+P-1}).
SeasonWeights weights_of(const Correlations&, std::int64_t context, std::int64_t forecast);

}  // namespace chronoveil::forecasting
