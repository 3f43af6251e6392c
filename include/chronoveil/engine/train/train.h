// A plan of training, from public facts only: which windows there are, how they are drawn, how much noise a step gets
// and how many steps (ε, δ) pays for. No data, no libtorch. Of sign_lags, which looks at the data once: what it
// compares and how much noise that gets.
//   Event   structured_subsampling of the job's windows, unit and sampling [Schuchardt25]
//             without_replacement   one event per step:  count = steps + spare
//             iterate               one event per epoch: count = ⌈(steps + spare) / steps_per_epoch⌉. A step that runs
//                                   again has a number of its own, so no group comes twice in an epoch
//   Given   σ: the largest number of steps within (ε, δ); steps: the least σ; both: whether they are within (ε, δ)
//   Edges   not even one step, or not the steps that were asked for: over_budget, naming the smallest ε that would do.
//           A δ as large as the chance that the protected steps are ever drawn (chance_of_use.h): cannot_certify. A
//           batch of more than N series: usage, naming the largest. A series shorter than L_F: bad_data, naming it
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/engine/release/checked_job.h"
#include "chronoveil/engine/release/run_options.h"
#include "chronoveil/forecasting/choices.h"
#include "chronoveil/forecasting/model_config.h"
#include "chronoveil/forecasting/sign_lags/plan.h"
#include "chronoveil/forecasting/value_bounds.h"

namespace chronoveil::engine {

// A series on the public axis: steps start, ..., start + length - 1.
struct PublicSeries {
  std::string key;
  std::int64_t start = 0;
  std::int64_t length = 0;
};

// What sign_lags releases, in one look.
struct SignLagsPlanned {
  forecasting::SignLagsConfig config;
  std::int64_t protected_values = 0;  // w: the steps that a neighbour changes, times the channels of a step
  double sensitivity = 0;             // Δ of all numbers together, in the 2-norm
  double noise = 0;                   // σ of each, noise_multiplier · Δ
};

struct TrainPlanned {
  SlotAxis axis;
  double slot_seconds = 0;           // the length of a usual slot
  std::vector<PublicSeries> series;  // in the order of the job's list, which is that of the panel
  std::vector<std::string> channels;
  std::optional<forecasting::ValueBounds> bounds;  // to which values are clamped
  forecasting::ModelConfig model;                  // completed
  forecasting::WindowShape shape;
  forecasting::SamplingScheme scheme;
  forecasting::Calendar calendar;  // empty where the job wants none
  double clip = 0;                 // C
  double noise_multiplier = 0;     // σ
  std::int64_t steps = 0;
  std::int64_t spare_steps = 0;      // steps that may run again after a crash; paid for on top
  std::int64_t steps_per_epoch = 0;  // of `iterate`; 1 otherwise
  accounting::Event event;           // of the whole run, spare steps included
  accounting::Price price;           // of the event at δ
  double delta = 0;
  std::int64_t least_windows = 0, most_windows = 0;  // T of the shortest and of the longest series
  double touched_share = 0;              // r: the largest share of a series' windows that one neighbour can change
  double series_rate = 0;                // ρ: the probability that a series is in the batch of a step; 1 for `iterate`
  Guarantee guarantee;                   // that the model carries
  std::optional<SignLagsPlanned> signs;  // of sign_lags; scheme, calendar, clip and windows are then of no meaning
  std::string reason;                    // why so many steps, or so much noise; why this model
};
// `held_back`: steps at the end of each series that training does not see, for a backtest.
Result<TrainPlanned> plan_training(const Job&, std::int64_t held_back = 0);

// Whether windows get noise of their own (σ_C or σ_F), which hides changes of at most noise_unit.
bool noises_windows(const TrainSpec&);

// What the guarantee does not cover, in sentences.
std::vector<std::string> not_protected(const TrainPlanned&);

using TrainChecked = CheckedJob<TrainPlanned>;
Result<TrainChecked> check_training(const Job&, const RunOptions&, bool read_data);

}  // namespace chronoveil::engine
