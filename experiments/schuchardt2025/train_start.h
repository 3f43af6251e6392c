// A public start: weights learned without privacy from series that were made up, before any real value is read.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/neural/trainer.h"

namespace chronoveil::schuchardt2025 {

// Series that repeat a season of `season` steps: a level that drifts, a shape of their own, two days of seven that
// differ, seasons that lie higher or lower, and noise that is correlated in time; without a season (1) the level alone,
// a random walk. All of it from a fixed seed.
forecasting::Panel made_up_series(std::int64_t season, std::int64_t count, std::int64_t length);

// Trains models on made-up series and gives their weights to others: each kind of model once, however many budgets
// start from it.
class PublicStarts {
 public:
  // A model like that of `config`, after `steps` steps on series of that season.
  Result<void> give(neural::Trainer& trainer, const neural::TrainingConfig& config, std::int64_t season,
                    std::int64_t steps, const torch::Device&);

 private:
  std::map<std::string, std::vector<neural::Parameter>> learned_;
};

}  // namespace chronoveil::schuchardt2025
