// What the documents of forecasts and of trainings share.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "chronoveil/report/forecast/forecasted.h"

namespace chronoveil::report {

// "key", "key/channel", or "" for a single series.
std::string label_of(const ForecastSeries&);
nlohmann::ordered_json model_json(const ModelFacts&);

}  // namespace chronoveil::report
