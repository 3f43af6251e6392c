// The few operations that have weights. Each keeps what the gradient of one window needs: what went in, and after
// backward() what came back to its output. Everything else in a model is ordinary autograd on activations; the weights
// themselves are never differentiated by it. So per-window clipping is a matter of these operations, not of a model.
//
// Tensors are [B, S, features]: B windows, S places that share the weights (steps in time, tokens; 1 if none), or [B,
// features]. A window's gradient depends on that window alone: no operation mixes windows. The loss of the backward
// pass is the sum of the windows' losses. Inputs and outputs of operations must not be changed in place.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "chronoveil/neural/models/parameters.h"

namespace chronoveil::neural {

class Tape {
 public:
  enum class Keep { nothing, uses };  // nothing: for prediction, without autograd
  Tape(const Parameters& parameters, Keep keep) : parameters_(parameters), keep_(keep) {}

  // x Wᵀ + b; W [out, in], b [out].
  torch::Tensor linear(std::size_t weight, std::size_t bias, const torch::Tensor& x);
  // Layer normalisation over the last dimension, (x - mean) / √(variance + 1e-5), then gain and shift [features].
  torch::Tensor layer_norm(std::size_t gain, std::size_t shift, const torch::Tensor& x);
  // One layer of an LSTM over the steps of x [B, S, in] from state zero, or from `state` (h, c), each [B, H], which is
  // replaced by the last one (either way a constant: gradients end there). Gates in the order input, forget, cell,
  // output; W_x [4H, in], W_h [4H, H], b [4H].
  struct State {
    torch::Tensor hidden, cell;
  };
  torch::Tensor lstm(std::size_t input_weight, std::size_t recurrent_weight, std::size_t bias, const torch::Tensor& x,
                     State* state = nullptr);

  // After one backward(): each use of a parameter to which a gradient came back. A gradient of window b is Σ_s
  // gradient[b, s] ⊗ input[b, s] for a weight (kind product), Σ_s gradient[b, s] for a bias (sum), Σ_s gradient[b, s]
  // input[b, s] for a gain (elementwise).
  struct Use {
    enum class Kind { product, sum, elementwise };
    std::size_t parameter;
    Kind kind;
    torch::Tensor input;     // [B, S, in]; undefined for a sum
    torch::Tensor gradient;  // [B, S, out]
  };
  std::vector<Use> uses() const;

  const Parameters& parameters() const { return parameters_; }
  bool keeps() const { return keep_ == Keep::uses; }

 private:
  struct Kept;  // the uses of one operation, which share the gradient that comes back to it
  class Weighted;
  class Lstm;
  void record(torch::Tensor& output, const torch::Tensor& x, std::shared_ptr<torch::autograd::Node>,
              std::shared_ptr<Kept>);
  const Parameters& parameters_;
  Keep keep_;
  std::vector<std::shared_ptr<Kept>> kept_;
};

}  // namespace chronoveil::neural
