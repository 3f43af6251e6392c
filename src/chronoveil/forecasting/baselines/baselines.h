// Forecasts without learning across series and without privacy, to compare with. Each series by itself.
#pragma once

#include <cstdint>
#include <span>

#include "chronoveil/base/result.h"
#include "chronoveil/forecasting/forecast.h"

namespace chronoveil::forecasting {

// The last season again and again; quantiles normal with the standard deviation of the seasonal differences, times
// √(number of seasons ahead), as in forecast::snaive [HA21]. `values`: one channel, NaN where missing. Key and start of
// the forecast are left to the caller.
//   Deviation   √(mean square) of value - value a season before, where both are observed; where that is nowhere, of
//               differences from step to step; 0 where those are nowhere either
//   Missing     the last observed value at that place of the season, as many seasons ago as that is; where there is
//               none, the last observed of all
//   Short       a series of fewer steps than a season has season 1
// Refused: season or length < 1 (usage), no observed value (bad data).
Result<Forecast> seasonal_naive(std::span<const float> values, std::int64_t season, std::int64_t length);

// Exponential smoothing in state space [HKSG02]: error, trend (none, additive, damped) and season (none, additive,
// multiplicative), additive or multiplicative, chosen by AICc (ets.h); quantiles by the closed form where errors are
// additive, else by simulation with a fixed seed. Quantiles are finite.
//   Missing     what was expected
//   Constant    the last observed value, without spread, where no two values of those that are read differ
// Refused: season or length < 1 (usage), no observed value (bad data).
Result<Forecast> auto_ets(std::span<const float> values, std::int64_t season, std::int64_t length);

}  // namespace chronoveil::forecasting
