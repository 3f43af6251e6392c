// What a model or a baseline says of the steps after a series: quantiles and, if it has them, sample paths.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "chronoveil/forecasting/choices.h"

namespace chronoveil::forecasting {

inline constexpr std::array<double, 9> kLevels = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};

// Quantiles of the standard normal law at kLevels.
inline constexpr std::array<double, 9> kNormalQuantiles = {
    -1.2815515655446004, -0.8416212335729143, -0.5244005127080409, -0.2533471031357997, 0,
    0.2533471031357997,  0.5244005127080409,  0.8416212335729143,  1.2815515655446004};

struct Forecast {
  std::string key;
  std::int64_t start = 0;   // the first forecast step on the public clock
  std::int64_t length = 0;  // L_F
  std::int64_t channels = 1;
  std::vector<float> quantiles;  // [L_F, D, 9], at kLevels, never falling along the levels
  std::int64_t path_count = 0;
  std::vector<float> paths;  // [path_count, L_F, D]; empty unless asked for
};

// Quantiles of sample values at kLevels, by linear interpolation between order statistics (type 7): exactly an order
// statistic where (n - 1) q is an integer. NaN without values. Precondition: no value is NaN.
std::array<float, 9> quantiles_of(std::span<float> values);  // sorts them

}  // namespace chronoveil::forecasting
