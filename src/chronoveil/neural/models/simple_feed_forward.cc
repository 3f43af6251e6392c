// simple_feed_forward: the whole context at once through hidden layers with ReLU; no batch normalisation, which would
// let windows see each other. Reads the context_length · D values, and the covariates of the first forecast step: they
// say where in its cycles the forecast begins; the rest follows from that.
#include "chronoveil/neural/models/layers.h"

namespace chronoveil::neural {
namespace {

class SimpleFeedForward final : public LayeredModel {
 public:
  explicit SimpleFeedForward(const forecasting::ModelConfig& config) : LayeredModel(config) {
    std::int64_t width = config.context_length * config.channels + config.covariates;
    for (std::int64_t i = 0; i < config.layers; ++i) {
      hidden_.push_back(layout_.linear("hidden." + std::to_string(i), width, config.hidden));
      width = config.hidden;
    }
    if (config.head_features > 0) {
      features_ = layout_.linear("features", width, config.head_features * config.forecast_length);
      head_ = layout_.student_t_head("head", config.head_features, config.channels, config);
    } else {
      head_ = layout_.student_t_head("head", width, config.forecast_length * config.channels, config);
    }
  }

  StudentT forward(Tape& tape, const Batch& batch) const override {
    const std::int64_t b = batch.size(), steps = config_.forecast_length, d = config_.channels;
    torch::Tensor x = read_context(batch).reshape({b, -1});
    if (config_.covariates > 0) x = torch::cat({x, batch.calendar.select(1, batch.context.size(1))}, 1);
    for (const Linear& layer : hidden_) x = torch::relu(layer(tape, x));
    if (config_.head_features == 0) return around_season(law_along(head_(tape, x).view({b, 3, steps, d}), 1), batch);
    x = features_(tape, x).view({b, steps, config_.head_features});
    return around_season(law_along(head_(tape, x).view({b, steps, 3, d}), 2), batch);
  }

 private:
  std::vector<Linear> hidden_;
  Linear features_, head_;
};

}  // namespace

std::unique_ptr<const Model> make_simple_feed_forward(const forecasting::ModelConfig& config) {
  return std::make_unique<SimpleFeedForward>(config);
}

}  // namespace chronoveil::neural
