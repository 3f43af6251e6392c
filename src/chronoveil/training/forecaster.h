// A trained model, ready to forecast.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "chronoveil/forecasting/forecast.h"
#include "chronoveil/forecasting/panel.h"
#include "chronoveil/forecasting/windows.h"
#include "chronoveil/training/model_file.h"

namespace chronoveil::training {

class Networks;

class Forecaster {
 public:
  virtual ~Forecaster() = default;
  virtual std::int64_t parameters() const = 0;
  virtual std::int64_t history() const = 0;  // past steps that a forecast reads
  // For each window; one with window.start = L forecasts what follows its series.
  virtual Result<std::vector<forecasting::Forecast>> forecast(const forecasting::Panel&,
                                                              std::span<const forecasting::Window>,
                                                              const forecasting::PredictionOptions&) const = 0;
};

// Of a model of any kind. Refused: a network where `networks` is empty.
Result<std::unique_ptr<Forecaster>> forecaster_of(const TrainedModel&, const Networks* networks,
                                                  const std::string& device);

}  // namespace chronoveil::training
