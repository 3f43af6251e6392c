// A plan of sign_lags, the model that looks at the data once: from public facts only.
//   Event   gaussian, once: the least noise multiplier within (ε, δ); what one change can move is in
//           forecasting/sign_lags/sensitivity.h
//   w       protected values: the steps that a neighbour changes, times the channels of a step. For a user they may lie
//           in several series
#pragma once

#include <string_view>

#include "chronoveil/engine/train/train.h"

namespace chronoveil::engine {

// What train.model says where it leaves the choice to the plan. So far that is always sign_lags: it can be made for any
// length of series and any (ε, δ), and in the tables of experiments/schuchardt2025 no network is better with privacy.
inline constexpr std::string_view kAutoModel = "auto";
inline constexpr std::string_view kSignLags = "sign_lags";
bool is_sign_lags(std::string_view model);  // chosen or by name

// `planned` has its axis, series and channels.
Result<void> plan_sign_lags(const Job&, TrainPlanned& planned);

}  // namespace chronoveil::engine
