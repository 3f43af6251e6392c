// Forecasts from a trained model.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chronoveil/forecasting/forecast.h"
#include "chronoveil/neural/models/model.h"

namespace chronoveil::neural {

using forecasting::PredictionOptions;

// For each window; one with window.start = L forecasts what follows its series. Quantiles are exact (Student-t) unless
// the model is autoregressive.
Result<std::vector<forecasting::Forecast>> predict(const Model&, const Parameters&, const forecasting::Panel&,
                                                   const forecasting::Calendar&, forecasting::Fill,
                                                   std::span<const forecasting::Window>, const PredictionOptions&,
                                                   const torch::Device&);

}  // namespace chronoveil::neural
