// A model: from the context of a window to a Student-t law for each forecast step and channel. One file per model,
// composed of the operations of a tape.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/forecasting/model_config.h"
#include "chronoveil/forecasting/windows.h"
#include "chronoveil/neural/models/parameters.h"
#include "chronoveil/neural/models/student_t.h"
#include "chronoveil/neural/tape.h"

namespace chronoveil::neural {

// B windows on a device. Scaled inside each window: `context` and `target` are divided by `scale`, the mean absolute
// observed value of that window's context and channel (1 where that is 0 or nothing was observed).
struct Batch {
  torch::Tensor context;           // [B, L_C, D], scaled
  torch::Tensor context_observed;  // [B, L_C, D]
  torch::Tensor target;            // [B, L_F, D], scaled
  torch::Tensor target_observed;   // [B, L_F, D]
  torch::Tensor calendar;          // [B, L_C + L_F, F]
  torch::Tensor scale;             // [B, 1, D]
  std::int64_t size() const { return context.size(0); }
};
Batch to_batch(const forecasting::WindowValues&, const torch::Device&);

torch::Tensor negative_log_likelihood(const StudentT&, const Batch&);

class Model {
 public:
  virtual ~Model() = default;
  const forecasting::ModelConfig& config() const { return config_; }

  // The parameters in their order, as the configuration asks for them, however much memory that would take.
  virtual std::vector<ParameterShape> shapes() const = 0;
  // Initial weights, from a public seed alone.
  virtual Parameters initial(std::uint64_t seed) const = 0;
  // Teacher forcing where a model is autoregressive.
  virtual StudentT forward(Tape&, const Batch&) const = 0;
  // What training minimises, one number per window [B]: the loss of forward(), unless a model learns from more steps of
  // the window.
  virtual torch::Tensor loss(Tape&, const Batch&) const;
  // Sample paths [count, B, L_F, D] in units of the window's scale. Those of a model that is not autoregressive are
  // draws of forward(), independent from step to step.
  virtual torch::Tensor paths(const Parameters&, const Batch&, std::int64_t count, torch::Generator) const;
  // Whether quantiles come from forward() in closed form, or from paths.
  virtual bool autoregressive() const { return false; }

 protected:
  explicit Model(forecasting::ModelConfig config) : config_(std::move(config)) {}
  forecasting::ModelConfig config_;
};

// By config.model; the config must be completed().
Result<std::unique_ptr<const Model>> make_model(const forecasting::ModelConfig&);

}  // namespace chronoveil::neural
