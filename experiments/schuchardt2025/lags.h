// sign_lags on the data of this folder, scored as the trained models are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "chronoveil/base/result.h"

namespace chronoveil::schuchardt2025 {

// For every row of the settings the rows of training.csv, and three columns more: `part`, which windows are scored
// ("test", or "before": those that come right before them, which public constants were chosen on), `inside` and
// `inside_40`, the shares of true values in 80 % and in 40 % intervals. Seasons and context that a row leaves out are the default. Seeds are set, so
// nothing made here is private: it measures, it does not release.
Result<std::string> lags_rows(std::string_view settings, const std::string& panels, std::int64_t seeds);

}  // namespace chronoveil::schuchardt2025
