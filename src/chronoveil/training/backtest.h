// How good would a model be? Trains on all but the end of each series, forecasts the end in rolling windows and scores
// it, beside the baselines. Seeded, so nothing is debited and nothing is private: what it says is for the owner of the
// data, or for data that is public.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/engine/train/plan.h"
#include "chronoveil/forecasting/rolling.h"
#include "chronoveil/training/model_file.h"

namespace chronoveil::training {

inline constexpr double kNotPrivate = std::numeric_limits<double>::infinity();  // an ε

struct BacktestRequest {
  std::vector<std::string> models;              // the job's own where empty
  std::vector<double> epsilons;                 // kNotPrivate trains without noise; the job's own where empty
  std::int64_t seeds = 1;                       // 0, 1, ...: of noise, sampling and initial weights
  std::optional<forecasting::Rolling> rolling;  // one window at the end unless given
  std::optional<std::int64_t> steps;            // of training without noise; those of the largest ε unless given
  std::vector<forecasting::Baseline> baselines = {forecasting::Baseline::seasonal_naive,
                                                  forecasting::Baseline::auto_ets};
  std::int64_t season = 0;  // that is usual for the slots unless given
  std::string device = "cpu";
  std::function<void(const std::string&)> progress;
};

struct BacktestRow {
  std::string model;              // or a baseline
  std::optional<double> epsilon;  // absent: a baseline
  double noise_multiplier = 0;    // 0 without noise
  std::int64_t steps = 0;
  std::vector<double> crps;  // one a seed
  double mean() const;
  double deviation() const;  // of one seed, n - 1; 0 for one
};

struct Backtest {
  std::int64_t series = 0, windows = 0, held_back = 0, season = 0;
  double delta = 0;
  std::vector<BacktestRow> rows;
};

Result<Backtest> run_backtest(const engine::Job&, const BacktestRequest&);

// A trained model on rolling windows of the job's data, of which it must not have seen the end: seeds and privacy are
// the model's own affair.
Result<BacktestRow> score_model(const engine::Job&, const std::string& model_path, const BacktestRequest&);

}  // namespace chronoveil::training
