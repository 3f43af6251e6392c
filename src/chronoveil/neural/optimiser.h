// What is done with a noisy gradient: post-processing, at no cost. θ the parameters, η the learning rate, ω the weight
// decay, g the gradient, t the step from 1; h = g + ω θ.
//   adam  [KB15]  m = β₁ m + (1 - β₁) h, v = β₂ v + (1 - β₂) h², θ -= η (m / (1 - β₁ᵗ)) / (√(v / (1 - β₂ᵗ)) + ε)
//   sgd           θ -= η h
//   average       a = α a + (1 - α) θ after each step; a / (1 - αᵗ), a weighted mean of the iterates, is what is
//                 released instead of the last one
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/neural/models/parameters.h"

namespace chronoveil::neural {

struct OptimiserConfig {
  enum class Kind { adam, sgd };
  Kind kind = Kind::adam;
  double learning_rate = 1e-3;
  double weight_decay = 1e-8;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double average = 0;  // α in [0, 1); 0: the last iterate
};
// Refused (usage, naming the field): a learning rate or epsilon that is not positive, a negative weight decay, a decay
// outside [0, 1).
Result<void> check(const OptimiserConfig&);

class Optimiser {
 public:
  Optimiser(const OptimiserConfig&, const Parameters&);   // the config was checked
  void step(const torch::Tensor& gradient, Parameters&);  // [d], from any device
  // What to release: the average, or the parameters themselves, as before the first step.
  torch::Tensor released(const Parameters&) const;  // [d], a copy on their device

  std::int64_t steps() const { return steps_; }

  // Its whole state as named tensors on the CPU; after load() it continues exactly. load() returns false and changes
  // nothing unless names, sizes and numbers are those of a state of the same kind of optimiser.
  std::vector<Parameter> state() const;
  bool load(const std::vector<Parameter>&);

 private:
  std::vector<Parameter> tensors() const;  // those of this kind, not copied

  OptimiserConfig config_;
  std::int64_t steps_ = 0;
  torch::Tensor first_, second_, average_;
};

// A counter as a float32 tensor, exact below 2^44: its multiples of 2^20, and the rest.
torch::Tensor counter_to_tensor(std::int64_t);
// -1 if it is no such tensor.
std::int64_t counter_of(const torch::Tensor&);

}  // namespace chronoveil::neural
