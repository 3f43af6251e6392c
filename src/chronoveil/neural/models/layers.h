// The parts of models: layers, which are places of parameters in a layout, and the Student-t head.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chronoveil/neural/models/model.h"

namespace chronoveil::neural {

struct Linear {
  std::size_t weight = 0, bias = 0;
  torch::Tensor operator()(Tape& tape, const torch::Tensor& x) const { return tape.linear(weight, bias, x); }
};
struct LayerNorm {
  std::size_t gain = 0, shift = 0;
  torch::Tensor operator()(Tape& tape, const torch::Tensor& x) const { return tape.layer_norm(gain, shift, x); }
};
struct Lstm {
  std::size_t input_weight = 0, recurrent_weight = 0, bias = 0;
  torch::Tensor operator()(Tape& tape, const torch::Tensor& x, Tape::State* state = nullptr) const {
    return tape.lstm(input_weight, recurrent_weight, bias, x, state);
  }
};

// The parameters of a model in their order, and how each starts.
class Layout {
 public:
  // Weight and bias uniform on ±1/√in.
  Linear linear(const std::string& name, std::int64_t in, std::int64_t out);
  // Gain 1, shift 0.
  LayerNorm layer_norm(const std::string& name, std::int64_t features);
  // Everything uniform on ±1/√hidden.
  Lstm lstm(const std::string& name, std::int64_t in, std::int64_t hidden);
  // Three raw numbers for each of `laws` laws: all locations, then all scales, then all freedoms. Weights as linear();
  // the bias is such that a head without input says location 0, scale 1, freedom 5. With a season weights start at 0
  // and the scale at its spread: an untrained model then repeats the last season.
  Linear student_t_head(const std::string& name, std::int64_t in, std::int64_t laws, const forecasting::ModelConfig&);

  std::vector<ParameterShape> shapes() const;
  // The same on every machine: bits of BitSource::with_seed(seed), 24 per number.
  Parameters initial(std::uint64_t seed) const;

 private:
  struct Start {
    std::string name;
    std::vector<std::int64_t> shape;
    double spread = 0;               // uniform on ±spread around
    std::vector<double> centres{0};  // one for each of equally many parts of the tensor
  };
  std::size_t add(Start);
  std::vector<Start> starts_;
};

// The law of raw outputs that lie along dimension `along`: location, scale, freedom.
inline StudentT law_along(const torch::Tensor& raw, std::int64_t along) {
  return student_t(raw.select(along, 0), raw.select(along, 1), raw.select(along, 2));
}

// A model whose parameters are those of its layout, set up in its constructor.
class LayeredModel : public Model {
 public:
  std::vector<ParameterShape> shapes() const override { return layout_.shapes(); }
  Parameters initial(std::uint64_t seed) const override { return layout_.initial(seed); }

 protected:
  using Model::Model;
  // The last context_length steps of the context, [B, context_length, D].
  torch::Tensor read_context(const Batch& batch) const {
    return batch.context.narrow(1, batch.context.size(1) - config_.context_length, config_.context_length);
  }
  // The law around the value a season before; for the forecast, the last season of the context is repeated. It depends
  // only on the model and the window, so it costs nothing.
  StudentT around_season(StudentT law, const Batch& batch) const;
  Layout layout_;
};

// One per model; the config must be completed().
std::unique_ptr<const Model> make_simple_feed_forward(const forecasting::ModelConfig&);
std::unique_ptr<const Model> make_dlinear(const forecasting::ModelConfig&);
std::unique_ptr<const Model> make_deepar(const forecasting::ModelConfig&);
std::unique_ptr<const Model> make_itransformer(const forecasting::ModelConfig&);

}  // namespace chronoveil::neural
