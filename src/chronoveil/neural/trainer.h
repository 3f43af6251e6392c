// Trains one model on one panel, step by step. A step: draw windows, add the public augmentation noise, cut and scale
// each by itself, one forward and one backward pass, clip, sum, noise, divide by Λ, update.
//   Empty batch   private: noise and an update as in any step. Not private: a step without update
//   Augmentation  anew on every use (augmentation.h), before a value is used in any way
//   Not finite    a window whose gradient is not finite adds exactly 0; not private, a sum that is not finite is 0
// It neither plans nor debits: the right that step() takes is the proof of the debit, or a mark (training/train.h).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "chronoveil/forecasting/sampling.h"
#include "chronoveil/neural/models/model.h"
#include "chronoveil/neural/optimiser.h"
#include "chronoveil/neural/private_gradient.h"

namespace chronoveil::neural {

struct TrainingConfig {
  forecasting::ModelConfig model;
  forecasting::SamplingScheme scheme;
  forecasting::Calendar calendar;
  forecasting::Fill fill = forecasting::Fill::window_mean;
  std::optional<PrivateStep> privacy;  // absent: not private, the mean over the realised windows, no noise
  OptimiserConfig optimiser;
  double context_noise = 0, label_noise = 0;  // σ_C, σ_F; times noise_unit, anew on every use
  double noise_unit = 1;           // v: a public size of one change, of all channels of a step together in the 2-norm
  std::uint64_t initial_seed = 1;  // of the initial weights: public
};

// Internal: never published.
struct StepFacts {
  std::int64_t windows = 0;
  double loss = 0;     // mean over windows
  double clipped = 0;  // share of windows whose gradient was shortened
  double dropped = 0;  // share that was not finite
};

// Internal, for tests of sensitivity: what no noise covers.
struct StepTrace {
  std::vector<forecasting::Window> drawn;
  torch::Tensor sum;  // [d], clipped if private, before noise; undefined for an empty batch
};

// Windows of a Poisson batch that the CPU computes at once, at most: as many as it computes alike (alike.h).
inline constexpr std::int64_t kPiece = 64;

class Trainer {
 public:
  // Refused (usage, naming the parameter), besides what its parts refuse: channels of the model that are not the
  // panel's, covariates that are not the calendar's, a Λ of the private step that is neither the scheme's nor 0, which
  // stands for the scheme's.
  static Result<Trainer> make(const TrainingConfig&, forecasting::Panel, const torch::Device&);
  Trainer(Trainer&&) noexcept;
  Trainer& operator=(Trainer&&) noexcept;
  ~Trainer();

  // `number` decides the group of series under `iterate` (WindowSampler::draw): a number is never used twice, even
  // after a crash. `look` asks for StepFacts, which cost a synchronisation with the device.
  Result<void> step(std::int64_t number, DrawRight&, StepFacts* look = nullptr, StepTrace* trace = nullptr);
  std::int64_t steps() const;  // done so far, those before a restore included

  const Model& model() const;
  const Parameters& parameters() const;
  torch::Tensor released() const;          // [d]: the last iterate or the average
  const PrivateGradient* privacy() const;  // none when not private

  // Everything but the panel, for a checkpoint: named tensors on the CPU. No bits are in it: noise is never replayed.
  std::vector<Parameter> state() const;
  // Refused (bad data), changing nothing, unless it is a state of such a trainer.
  Result<void> restore(const std::vector<Parameter>&);

 private:
  struct Parts;
  explicit Trainer(std::unique_ptr<Parts>);
  std::unique_ptr<Parts> parts_;
};

}  // namespace chronoveil::neural
