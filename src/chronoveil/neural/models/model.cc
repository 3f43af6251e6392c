#include "chronoveil/neural/models/model.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "chronoveil/neural/models/layers.h"

namespace chronoveil::neural {
namespace {

torch::Tensor on(const std::vector<float>& values, std::int64_t batch, std::int64_t steps, std::int64_t features,
                 const torch::Device& device) {
  // from_blob wants a non-const pointer; the copy is made before `values` is gone.
  const torch::Tensor view =
      torch::from_blob(const_cast<float*>(values.data()), {batch, steps, features}, torch::kFloat32);
  return device.is_cpu() ? view.clone() : view.to(device);
}

}  // namespace

Batch to_batch(const forecasting::WindowValues& windows, const torch::Device& device) {
  const torch::NoGradGuard no_grad;
  const std::int64_t steps = windows.context + windows.forecast;
  const torch::Tensor values = on(windows.values, windows.batch, steps, windows.channels, device);
  const torch::Tensor observed = on(windows.observed, windows.batch, steps, windows.channels, device);
  Batch batch;
  batch.context_observed = observed.narrow(1, 0, windows.context);
  batch.target_observed = observed.narrow(1, windows.context, windows.forecast);
  batch.calendar = on(windows.calendar, windows.batch, steps, windows.covariates, device);
  const torch::Tensor context = values.narrow(1, 0, windows.context);
  // In double, so that the sum of many large values is finite. Along the steps of each window, never along windows.
  const torch::Tensor count = batch.context_observed.sum(1, true).clamp_min(1);
  const torch::Tensor mean =
      ((context.abs() * batch.context_observed).sum(1, true, torch::kFloat64) / count).to(torch::kFloat32);
  batch.scale = torch::where(mean < std::numeric_limits<float>::min(), torch::ones_like(mean), mean);
  batch.context = context / batch.scale;
  batch.target = values.narrow(1, windows.context, windows.forecast) / batch.scale;
  return batch;
}

torch::Tensor negative_log_likelihood(const StudentT& law, const Batch& batch) {
  return negative_log_likelihood(law, batch.target, batch.target_observed);
}

torch::Tensor Model::loss(Tape& tape, const Batch& batch) const {
  return negative_log_likelihood(forward(tape, batch), batch);
}

torch::Tensor Model::paths(const Parameters& parameters, const Batch& batch, std::int64_t count,
                           torch::Generator generator) const {
  const torch::NoGradGuard no_grad;
  Tape tape(parameters, Tape::Keep::nothing);
  return draw(forward(tape, batch), count, generator);
}

Result<std::unique_ptr<const Model>> make_model(const forecasting::ModelConfig& given) {
  CV_TRY(const forecasting::ModelConfig config, forecasting::completed(given));
  if (config.model == "simple_feed_forward") return make_simple_feed_forward(config);
  if (config.model == "dlinear") return make_dlinear(config);
  if (config.model == "deepar") return make_deepar(config);
  return make_itransformer(config);  // completed() knows no other
}

}  // namespace chronoveil::neural
