// What comes after a published release of series. The release is private already, so a forecast from it is
// post-processing: no debit, and the promise of the release is the promise of the forecast.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "chronoveil/forecasting/choices.h"
#include "chronoveil/report/forecast/forecasted.h"

namespace chronoveil::training {

struct ReleaseForecastRequest {
  std::string release;                // a release JSON, of counts per series and slot
  std::optional<std::string> model;   // of sign_lags, for slots of the same length; none: the model without data
  std::optional<std::int64_t> steps;  // to forecast; without a model; one season of the slots unless given
  forecasting::PredictionOptions prediction;
  std::string title;
};

// The released values are the history. Counts are not negative: where no released value is, no quantile or path is.
Result<report::Forecasted> forecast_release(const ReleaseForecastRequest&);

}  // namespace chronoveil::training
