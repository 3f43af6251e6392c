// How windows are shaped, drawn and filled, and what the calendar adds: the choices of a training job. Those of a
// forecast, and what a backtest compares models with.
#pragma once

#include <cstdint>
#include <vector>

namespace chronoveil::forecasting {

// How a batch draws its series, and a series its windows; see sampling.h.
enum class TopLevel { iterate, without_replacement };
enum class BottomLevel { with_replacement, poisson };

struct SamplingScheme {
  TopLevel top = TopLevel::without_replacement;
  BottomLevel bottom = BottomLevel::with_replacement;
  std::int64_t batch_size = 128;        // Λ, the expected number of windows: what the sum is divided by
  std::int64_t windows_per_series = 1;  // λ
  std::int64_t group() const { return batch_size / windows_per_series; }  // ⌊Λ/λ⌋
};

struct WindowShape {
  std::int64_t context = 0;   // L_C, everything that a model reads before the forecast, lags included
  std::int64_t forecast = 0;  // L_F
  std::int64_t windows(std::int64_t length) const { return length - forecast + 1; }  // T
};

// How a missing value of a window is filled, from that window only.
enum class Fill { zero, window_mean, last };

// Each period of p steps gives two covariates, sin and cos of 2π (step + phase) / p.
struct Calendar {
  struct Cycle {
    double period = 0;  // in steps; greater than 0
    double phase = 0;
  };
  std::vector<Cycle> cycles;

  std::int64_t covariates() const { return 2 * static_cast<std::int64_t>(cycles.size()); }
  void at(std::int64_t step, float* out) const;  // covariates() numbers
};

struct PredictionOptions {
  std::int64_t paths = 200;  // for quantiles of a model that has none but through paths, and for `keep_paths`
  bool keep_paths = false;
  std::uint64_t seed = 1;  // paths are post-processing: privacy does not depend on it
  std::int64_t batch = 256;
};

enum class Baseline { seasonal_naive, auto_ets };

}  // namespace chronoveil::forecasting
