// What a backtest found: CRPS of models and baselines on the end of each series. For the owner of the data, or for
// public data: it is computed without noise from the steps that were held back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chronoveil::report {

struct BacktestedRow {
  std::string model;              // or a baseline
  std::optional<double> epsilon;  // absent: a baseline; 0: without data; infinite: trained without noise
  double noise_multiplier = 0;
  std::int64_t steps = 0;          // 0: it learns in none
  double mean = 0, deviation = 0;  // CRPS over seeds
  std::int64_t seeds = 1;
};

struct Backtested {
  std::string title;
  std::int64_t series = 0, windows = 0, held_back = 0, season = 0, forecast_length = 0;
  double delta = 0;
  std::vector<BacktestedRow> rows;
};

// model,epsilon,noise_multiplier,steps,crps,deviation,seeds,mark: every row says that it is internal.
std::string backtest_csv(const Backtested&);
std::string to_json(const Backtested&);
// `csv`: the name of the file beside the page that has all numbers, or empty.
std::string to_html(const Backtested&, const std::string& csv = "");

}  // namespace chronoveil::report
