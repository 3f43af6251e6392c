// A plan of sign_lags, the model that looks at the data once: from public facts only.
//   Event   gaussian, once: the least noise multiplier within (ε, δ); what one change can move is in
//           forecasting/sign_lags/sensitivity.h
//   w       protected values: the steps that a neighbour changes, times the channels of a step. For a user they may lie
//           in several series
#pragma once

#include <string_view>

#include "chronoveil/engine/train/plan.h"

namespace chronoveil::engine {

// What train.model says where it leaves the choice to the plan. So far that is always sign_lags: it can be made for any
// length of series and any (ε, δ), and in the tables of experiments/schuchardt2025 no network is better with privacy.
inline constexpr std::string_view kAutoModel = "auto";
inline constexpr std::string_view kSignLags = "sign_lags";
bool is_sign_lags(std::string_view model);  // chosen or by name

// `planned` has its axis, series, channels and the length of a forecast.
Result<void> plan_sign_lags(const Job&, TrainPlanned& planned);
// What a model of no data compares, for a plan of any model: a reference that costs nothing.
Result<forecasting::SignLagsConfig> model_without_data(const TrainPlanned&);
// What it asks of a ledger: one debit for one look.
Ask ask_of_signs(const Job&, const TrainPlanned&);

}  // namespace chronoveil::engine
