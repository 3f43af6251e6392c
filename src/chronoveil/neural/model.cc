#include "chronoveil/neural/model.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "chronoveil/neural/layers.h"

namespace chronoveil::neural {
namespace {

constexpr double kLeastScale = 1e-4;   // of a law, in units of the window's scale: the density stays bounded
constexpr double kMostFreedom = 1e6;   // as good as normal, for draws
constexpr double kLeastGamma = 1e-30;  // draws of Gamma(freedom / 2) are not this small; no division by 0

torch::Tensor on(const std::vector<float>& values, std::int64_t batch, std::int64_t steps, std::int64_t features,
                 const torch::Device& device) {
  // from_blob wants a pointer that is not const; the copy is made before `values` goes.
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

StudentT student_t(const torch::Tensor& location, const torch::Tensor& scale, const torch::Tensor& freedom) {
  return {location, torch::softplus(scale) + kLeastScale, torch::softplus(freedom) + 2};
}

torch::Tensor negative_log_likelihood(const StudentT& law, const torch::Tensor& target, const torch::Tensor& observed) {
  // A target that was not observed may be anything: its difference is replaced before it meets a gradient.
  const torch::Tensor difference = target - law.location;
  const torch::Tensor z = torch::where(observed > 0, difference, torch::zeros_like(difference)) / law.scale;
  const torch::Tensor half = law.freedom / 2;
  const torch::Tensor each = (half + 0.5) * torch::log1p(z * z / law.freedom) + torch::log(law.scale) +
                             torch::log(law.freedom * std::numbers::pi) / 2 + torch::lgamma(half) -
                             torch::lgamma(half + 0.5);
  const torch::Tensor count = observed.sum({1, 2}).clamp_min(1);
  return (each * observed).sum({1, 2}) / count;
}

torch::Tensor negative_log_likelihood(const StudentT& law, const Batch& batch) {
  return negative_log_likelihood(law, batch.target, batch.target_observed);
}

torch::Tensor draw(const StudentT& law, std::int64_t count, torch::Generator generator) {
  const torch::NoGradGuard no_grad;
  std::vector<std::int64_t> shape = law.location.sizes().vec();
  shape.insert(shape.begin(), count);
  const torch::Tensor normal = torch::randn(shape, generator, law.location.options());
  // The comparison is false for what is not a number, for which a draw of a gamma law would never end.
  const torch::Tensor freedom =
      torch::where(law.freedom < kMostFreedom, law.freedom, torch::full_like(law.freedom, kMostFreedom));
  const torch::Tensor half = (freedom / 2).expand(shape).contiguous();
  const torch::Tensor gamma = torch::_standard_gamma(half, generator).clamp_min(kLeastGamma);
  return law.location + law.scale * normal * torch::sqrt(half / gamma);
}

torch::Generator generator_for(const torch::Device& device, std::uint64_t seed) {
  torch::Generator generator = at::globalContext().defaultGenerator(device).clone();
  generator.set_current_seed(seed);
  return generator;
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
