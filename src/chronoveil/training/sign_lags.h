// sign_lags as a model of jobs: released once, in the order of every release (engine/release/order.h), stored beside the
// ledger, and handed out as a model file whose weights are the released integers.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "chronoveil/engine/train/train.h"
#include "chronoveil/forecasting/panel.h"
#include "chronoveil/forecasting/sign_lags/release.h"
#include "chronoveil/forecasting/sign_lags/weights.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/training/forecaster.h"
#include "chronoveil/training/train.h"

namespace chronoveil::training {

// All that is measured of a panel, before any noise.
Result<forecasting::SignProducts> sign_products(const forecasting::Panel&, const forecasting::SignLagsConfig&);

// The weights of a model file, as JSON: day, seasons, context, forecast, noise, products and counts, season by season.
std::string to_weights(const forecasting::SignRelease&);
// Refused (bad data) unless they are what to_weights() writes and fit together.
Result<forecasting::SignRelease> release_in(std::string_view weights);

std::unique_ptr<Forecaster> forecaster_of(forecasting::SignLagsModel);
// Of a model file. Refused (bad data) unless its weights fit its configuration.
Result<std::unique_ptr<Forecaster>> sign_lags_forecaster(const TrainedModel&);

// What run_training() and train_again() do with such a job. `training` is planned and described.
Result<void> train_sign_lags(const engine::Job&, const TrainOptions&, Training& training);
Result<void> sign_lags_again(const engine::Job&, const std::string& debit, const TrainOptions&, Training& training);

}  // namespace chronoveil::training
