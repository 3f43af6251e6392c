// What w values can change in the products of sign_lags.
#pragma once

#include <cstdint>

#include "chronoveil/base/result.h"

namespace chronoveil::forecasting {

struct SignLagsConfig;

// Δ² = 4 J w² (1 + 16 K), exactly, for any change of w values, wherever they are, in one series or in several, also to
// or from missing; lengths stay. An event that changes all D channels of a step changes D values: w is what the caller
// protects times D, and for a user with values in several series all of them together.
//   Proof    A value y_τ enters two signs of a season, s_τ and s_{τ+m}, so at most 2w signs change. G(0) is a sum of
//            s², each 0 or 1: it changes by at most 2w. For k >= 1 a sign lies in at most two products s_t s_{t+k} and
//            a product in [-1, 1] changes by at most 2, so G(k) changes by at most 2w · 2 · 2 = 8w. In the 2-norm
//            that is 4w² + 64w² K for a season, and J times as much for J seasons. Series that the w values are
//            spread over add up in the same way, since G is a sum over series
//   Tight    signs with s_{t+m} = -s_t, symmetric about τ, reach G(k) = 8w for nearly all k at once
//   Refused  (usage) w < 1, and what does not fit into 2^62
Result<std::int64_t> squared_sensitivity(const SignLagsConfig&, std::int64_t protected_values);

// Δ, rounded up.
Result<double> sensitivity(const SignLagsConfig&, std::int64_t protected_values);

}  // namespace chronoveil::forecasting
