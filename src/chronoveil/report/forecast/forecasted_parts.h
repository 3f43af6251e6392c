// What the documents of forecasts and of trainings share.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "chronoveil/report/forecast/forecasted.h"

namespace chronoveil::report {

inline constexpr std::size_t kMedian = 4;  // of the nine quantiles

// "key", "key/channel", or "" for a single series.
std::string label_of(const ForecastSeries&);
// What the values of a series are, for an axis.
std::string measure_of(const ForecastSeries&);
// "302, with 8 in 10 chances between 290 and 315", of nine quantiles.
std::string chance_words(const std::vector<double>& quantiles);
// Whether all of these quantiles are finite.
bool is_finite(const std::vector<double>& quantiles);
// The slots from `first` on.
SlotAxis part_of(const SlotAxis&, std::size_t first);
nlohmann::ordered_json model_json(const ModelFacts&);

}  // namespace chronoveil::report
