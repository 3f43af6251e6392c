// Forecasts for comparison, without privacy and without learning across series: each series by itself.
#pragma once

#include <cstdint>
#include <span>

#include "chronoveil/base/result.h"
#include "chronoveil/forecasting/forecast.h"

namespace chronoveil::forecasting {

// Repeats the last season; normal quantiles with the standard deviation of the seasonal differences, times √(number of
// seasons ahead), as in forecast::snaive [HA21]. `values`: one channel, NaN where missing. The caller sets key and
// start of the forecast.
//   Deviation   √(mean square) of value - value a season before, where both are observed; if they never are, of
//               differences from step to step; 0 if there are none either
//   Missing     the last observed value at that place of the season, however many seasons ago; if there is none, the
//               last observed value
//   Short       a series of fewer steps than a season has season 1
// Refused: season or length < 1 (usage), no observed value (bad data).
Result<Forecast> seasonal_naive(std::span<const float> values, std::int64_t season, std::int64_t length);

// Exponential smoothing in state space [HKSG02]: error, trend (none, additive, damped) and season (none, additive,
// multiplicative), additive or multiplicative, chosen by AICc (ets.h); quantiles by the closed form where errors are
// additive, else by simulation with a fixed seed. Quantiles are finite.
//   Missing     the expected value
//   Constant    the last observed value, without spread, if all values that are read are equal
// Refused: season or length < 1 (usage), no observed value (bad data).
Result<Forecast> auto_ets(std::span<const float> values, std::int64_t season, std::int64_t length);

}  // namespace chronoveil::forecasting
