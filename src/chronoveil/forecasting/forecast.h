// What a model or a baseline says of the steps after a series: quantiles, and where it has them sample paths.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace chronoveil::forecasting {

inline constexpr std::array<double, 9> kLevels = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9};

struct Forecast {
  std::string key;
  std::int64_t start = 0;   // the first forecast step on the public clock
  std::int64_t length = 0;  // L_F
  std::int64_t channels = 1;
  std::vector<float> quantiles;  // [L_F, D, 9], at kLevels, never falling along the levels
  std::int64_t path_count = 0;
  std::vector<float> paths;  // [path_count, L_F, D]; empty unless asked for
};

// Quantiles of sample values at kLevels, by linear interpolation between order statistics (type 7).
std::array<float, 9> quantiles_of(std::span<float> values);  // sorts them

}  // namespace chronoveil::forecasting
