// A public start: weights learned without privacy from series that were made up, before any real value is read.
#pragma once

#include <cstdint>

#include "chronoveil/base/result.h"
#include "chronoveil/neural/trainer.h"

namespace chronoveil::schuchardt2025 {

// Series that repeat a season of `season` steps: a level that drifts, a shape of their own, two days of seven that
// differ, seasons that lie higher or lower, and noise that is correlated in time; without a season (1) the level alone,
// a random walk. All of it from a fixed seed.
forecasting::Panel made_up_series(std::int64_t season, std::int64_t count, std::int64_t length);

// Trains a model like that of `config` on made-up series for `steps` steps, and gives its weights to `trainer`.
Result<void> start_from_public(neural::Trainer& trainer, const neural::TrainingConfig& config, std::int64_t season,
                               std::int64_t steps, const torch::Device&);

}  // namespace chronoveil::schuchardt2025
