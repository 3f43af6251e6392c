// How good would a model be? Trains on all but the end of each series, forecasts the end in rolling windows and scores
// it, beside the baselines and beside the model that has seen no data (sign_lags at ε = 0). Seeded, so nothing is
// debited and nothing is private: for the owner of the data, or for public data.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/engine/job/job.h"
#include "chronoveil/forecasting/choices.h"
#include "chronoveil/report/forecast/backtested.h"

namespace chronoveil::training {

class Networks;

inline constexpr std::string_view kWithoutData = "without_data";
inline constexpr double kNotPrivate = std::numeric_limits<double>::infinity();  // an ε

struct BacktestRequest {
  std::vector<std::string> models;     // empty: the job's own
  std::vector<double> epsilons;        // kNotPrivate trains without noise; empty: the job's own
  std::int64_t seeds = 1;              // 0, 1, ...: of noise, sampling and initial weights
  std::int64_t windows = 1;            // forecasts of each series
  std::optional<std::int64_t> stride;  // steps between them; the forecast's length unless given
  std::optional<std::int64_t> steps;   // of training without noise; by default those of the largest ε
  std::vector<forecasting::Baseline> baselines = {forecasting::Baseline::seasonal_naive,
                                                  forecasting::Baseline::auto_ets};
  std::int64_t season = 0;             // 0: the usual one for the slots
  const Networks* networks = nullptr;  // without them, models that are networks are refused
  std::string device = "cpu";
  std::function<void(const std::string&)> progress;
};

struct BacktestRow {
  std::string model;              // or a baseline, or kWithoutData
  std::optional<double> epsilon;  // absent: a baseline; 0: without data
  double noise_multiplier = 0;    // 0 without noise
  std::int64_t steps = 0;         // 0: it learns in none
  std::vector<double> crps;       // one per seed
  double mean() const;
  double deviation() const;  // of one seed, n - 1; 0 for one
};

struct Backtest {
  std::int64_t series = 0, windows = 0, held_back = 0, season = 0, forecast_length = 0;
  double delta = 0;
  std::vector<BacktestRow> rows;
};

Result<Backtest> run_backtest(const engine::Job&, const BacktestRequest&);

// What its documents say.
report::Backtested report_of(const engine::Job&, const Backtest&);
// To the paths that are not empty; "-" is standard output. For the owner alone: scores of held-back data are as private
// as the data.
Result<void> write_backtest(const report::Backtested&, const std::string& csv, const std::string& report);

// Scores a trained model on rolling windows of the job's data, whose end it must not have seen. Seeds and privacy are
// those of the model.
Result<BacktestRow> score_model(const engine::Job&, const std::string& model_path, const BacktestRequest&);

}  // namespace chronoveil::training
