// Forecasts of sign_lags: the weights of the model, the spread of the series itself.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/forecasting/forecast.h"
#include "chronoveil/forecasting/panel.h"
#include "chronoveil/forecasting/sign_lags/weights.h"
#include "chronoveil/forecasting/windows.h"

namespace chronoveil::forecasting {

// The law of one forecast step: a logistic law of this centre and standard deviation. Its tails lie between those of
// Gauss and of Laplace, as errors of forecasts do.
struct StepLaw {
  double location = 0, deviation = 0;
};

// The F steps after `past`, one channel, NaN where missing; it reads the last history() of them, those before the first
// being missing. Refused (bad data): no value is observed, or no two that are a season apart.
Result<std::vector<StepLaw>> laws_after(const SignLagsModel&, std::span<const float> past);

// location + deviation · √3/π · ln(q / (1 - q)), 0 < q < 1
double quantile_of(const StepLaw&, double q);

struct SignLagsForecasts {
  std::int64_t paths = 0;  // sample paths to keep, of independent steps
  std::uint64_t seed = 1;  // of the paths: post-processing, privacy does not depend on it
};
// For each window; one with window.start = L forecasts what follows its series. Channel by channel, only from what came
// before the window.
Result<std::vector<Forecast>> predict(const SignLagsModel&, const Panel&, std::span<const Window>,
                                      const SignLagsForecasts& = {});

}  // namespace chronoveil::forecasting
