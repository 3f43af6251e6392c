// dlinear [Zeng23]: the context is split into a moving average and what remains; each goes through one linear map to
// `hidden` features per forecast step, and their sum through a head that all steps share. Channels share the weights.
// Reads no covariates, as published.
#include "chronoveil/neural/models/layers.h"

namespace chronoveil::neural {
namespace {

class DLinear final : public LayeredModel {
 public:
  explicit DLinear(const forecasting::ModelConfig& config) : LayeredModel(config) {
    const std::int64_t features = config.hidden * config.forecast_length;
    trend_ = layout_.linear("trend", config.context_length, features);
    remainder_ = layout_.linear("remainder", config.context_length, features);
    head_ = layout_.student_t_head("head", config.hidden, 1, config);
  }

  StudentT forward(Tape& tape, const Batch& batch) const override {
    const std::int64_t b = batch.size(), steps = config_.forecast_length, d = config_.channels;
    const torch::Tensor x = read_context(batch).transpose(1, 2).contiguous();  // [B, D, context_length]
    const torch::Tensor average = moving_average(x);
    const torch::Tensor sum = trend_(tape, average) + remainder_(tape, x - average);
    const torch::Tensor raw = head_(tape, sum.view({b, d * steps, config_.hidden})).view({b, d, steps, 3});
    return around_season(law_along(raw.transpose(1, 2), 3), batch);
  }

 private:
  // Over `kernel` steps around each; the first and the last value are repeated outward, so that nothing outside the
  // window is read.
  torch::Tensor moving_average(const torch::Tensor& x) const {
    const std::int64_t before = (config_.kernel - 1) / 2, after = config_.kernel / 2, last = x.size(2) - 1;
    const torch::Tensor padded =
        torch::cat({x.narrow(2, 0, 1).expand({-1, -1, before}), x, x.narrow(2, last, 1).expand({-1, -1, after})}, 2);
    return torch::avg_pool1d(padded, {config_.kernel}, {1});
  }

  Linear trend_, remainder_, head_;
};

}  // namespace

std::unique_ptr<const Model> make_dlinear(const forecasting::ModelConfig& config) {
  return std::make_unique<DLinear>(config);
}

}  // namespace chronoveil::neural
