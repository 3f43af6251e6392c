// What a training did and promises: the model's certificate, for people and programs.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/report/forecast/forecasted.h"

namespace chronoveil::report {

// What a model that looks once (sign_lags) took from the data.
struct OneLook {
  std::vector<std::int64_t> seasons;  // steps apart of the values that it compares
  std::int64_t reads = 0;             // past values that a forecast reads
  std::int64_t released = 0;          // integers
  std::int64_t protected_values = 0;
  double sensitivity = 0, noise = 0;
};

struct Trained {
  std::string title;
  ModelFacts model;
  accounting::Event event;
  std::int64_t series = 0, least_windows = 0, most_windows = 0;
  std::int64_t batch_size = 0, windows_per_series = 1;
  std::string top_level, bottom_level;  // as a job spells them
  double touched_share = 0;             // r: the share of a series' windows that one neighbour can change
  double series_rate = 0;               // ρ: the probability that a series is in a batch
  double noise_multiplier = 0;          // σ
  double clip = 0;                      // C
  std::optional<double> lower, upper;   // to which values were clamped
  std::int64_t planned_steps = 0, spare_steps = 0;
  std::int64_t uses = 0;  // steps that were begun, including those lost in a crash
  bool resumed = false;
  std::string reason;            // why so many steps, or so much noise
  std::optional<OneLook> signs;  // then nothing here is said of windows, batches and steps
  struct Spent {
    std::int64_t steps = 0;
    double epsilon = 0;
  };
  std::vector<Spent> spent;  // ε after so many steps
  std::optional<BudgetLeft> budget;
  std::string model_path;
  std::string model_digest;  // SHA-256 of the file there
};

std::string to_json(const Trained&);
std::string to_html(const Trained&);

}  // namespace chronoveil::report
