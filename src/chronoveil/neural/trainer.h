// Trains one model on one panel, step by step. A step: draw windows, cut and scale each by itself, add the public
// augmentation noise, one forward and one backward pass, clip, sum, noise, divide by Λ, update.
// It neither plans nor debits: whoever calls step() has paid for it (training/train.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "chronoveil/forecasting/sampling.h"
#include "chronoveil/neural/model.h"
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
  double context_noise = 0, label_noise = 0;  // σ_C, σ_F; times noise_unit, on every use anew
  double noise_unit = 1;                      // v: a public size of one change
  std::uint64_t initial_seed = 1;             // of the initial weights: public
};

// Internal: never published.
struct StepFacts {
  std::int64_t windows = 0;
  double loss = 0;     // mean over windows
  double clipped = 0;  // share of windows whose gradient was shortened
  double dropped = 0;  // share that was not finite
};

class Trainer {
 public:
  static Result<Trainer> make(const TrainingConfig&, const forecasting::Panel&, const torch::Device&);
  Trainer(Trainer&&) noexcept;
  ~Trainer();

  // `number` is what decides the group of series under `iterate` (WindowSampler::draw): whoever goes on after a crash
  // never gives one twice. `look` asks for StepFacts, which cost a synchronisation with the device.
  Result<void> step(std::int64_t number, BitSource&, StepFacts* look = nullptr);
  std::int64_t steps() const;  // done so far, those before a restore included

  const Model& model() const;
  const Parameters& parameters() const;
  torch::Tensor released() const;  // [d]: the last iterate or the average

  // Everything but the panel, for a checkpoint: named tensors. No bits are in it: noise is never replayed.
  std::vector<Parameter> state() const;
  Result<void> restore(const std::vector<Parameter>&);

 private:
  struct Parts;
  explicit Trainer(std::unique_ptr<Parts>);
  std::unique_ptr<Parts> parts_;
};

}  // namespace chronoveil::neural
