// What happens to a noisy gradient afterwards: post-processing, at no cost.
//   adam   [KB15], weight decay added to the gradient;  sgd   θ -= η g
//   An exponential moving average of the iterates, if asked for, is what is released instead of the last one.
#pragma once

#include <cstdint>
#include <string>

#include "chronoveil/neural/parameters.h"

namespace chronoveil::neural {

struct OptimiserConfig {
  enum class Kind { adam, sgd };
  Kind kind = Kind::adam;
  double learning_rate = 1e-3;
  double weight_decay = 1e-8;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double average = 0;  // decay of the moving average of iterates, bias-corrected; 0: the last iterate
};

class Optimiser {
 public:
  Optimiser(const OptimiserConfig&, const Parameters&);
  void step(const torch::Tensor& gradient, Parameters&);  // [d]
  // What to release: the average, or the parameters themselves.
  torch::Tensor released(const Parameters&) const;  // [d]

  // All of its state, as tensors with names; loaded back it goes on exactly.
  std::vector<Parameter> state() const;
  bool load(const std::vector<Parameter>&);

 private:
  OptimiserConfig config_;
  std::int64_t steps_ = 0;
  torch::Tensor first_, second_, average_;
};

}  // namespace chronoveil::neural
