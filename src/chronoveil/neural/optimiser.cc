#include "chronoveil/neural/optimiser.h"

#include <cmath>
#include <utility>

namespace chronoveil::neural {
namespace {

constexpr std::int64_t kCounterUnit = std::int64_t{1} << 20;

Result<void> decay(const char* name, double value) {
  if (!(value >= 0 && value < 1)) return invalid(name, value, "at least 0 and less than 1");
  return {};
}

Result<void> positive(const char* name, double value) {
  if (!(std::isfinite(value) && value > 0)) return invalid(name, value, "a finite number greater than 0");
  return {};
}

}  // namespace

Result<void> check(const OptimiserConfig& config) {
  CV_CHECK(positive("learning_rate", config.learning_rate));
  CV_CHECK(positive("epsilon", config.epsilon));
  if (!(std::isfinite(config.weight_decay) && config.weight_decay >= 0))
    return invalid("weight_decay", config.weight_decay, "a finite number that is at least 0");
  CV_CHECK(decay("beta1", config.beta1));
  CV_CHECK(decay("beta2", config.beta2));
  return decay("average", config.average);
}

Optimiser::Optimiser(const OptimiserConfig& config, const Parameters& parameters) : config_(config) {
  const torch::Tensor like = parameters.flat();
  if (config.kind == OptimiserConfig::Kind::adam) {
    first_ = torch::zeros_like(like);
    second_ = torch::zeros_like(like);
  }
  if (config.average > 0) average_ = torch::zeros_like(like);
}

std::vector<Parameter> Optimiser::tensors() const {
  std::vector<Parameter> all;
  if (first_.defined()) all = {{"first", first_}, {"second", second_}};
  if (average_.defined()) all.push_back({"average", average_});
  return all;
}

void Optimiser::step(const torch::Tensor& gradient, Parameters& parameters) {
  const torch::NoGradGuard no_grad;
  torch::Tensor theta = parameters.flat();
  torch::Tensor change = gradient.to(theta.device());
  if (config_.weight_decay > 0) change = change + theta * config_.weight_decay;
  ++steps_;
  const auto t = static_cast<double>(steps_);
  if (config_.kind == OptimiserConfig::Kind::adam) {
    first_.mul_(config_.beta1).add_(change, 1 - config_.beta1);
    second_.mul_(config_.beta2).addcmul_(change, change, 1 - config_.beta2);
    const torch::Tensor root = (second_ / (1 - std::pow(config_.beta2, t))).sqrt_().add_(config_.epsilon);
    theta.addcdiv_(first_, root, -config_.learning_rate / (1 - std::pow(config_.beta1, t)));
  } else {
    theta.add_(change, -config_.learning_rate);
  }
  if (config_.average > 0) average_.mul_(config_.average).add_(theta, 1 - config_.average);
  parameters.set_flat(theta);
}

torch::Tensor Optimiser::released(const Parameters& parameters) const {
  if (config_.average == 0 || steps_ == 0) return parameters.flat();
  return average_ / (1 - std::pow(config_.average, static_cast<double>(steps_)));
}

std::vector<Parameter> Optimiser::state() const {
  std::vector<Parameter> all = {{"steps", counter_to_tensor(steps_)}};
  for (const Parameter& tensor : tensors())
    all.push_back({tensor.name, tensor.value.detach().to(torch::Device(torch::kCPU)).clone()});
  return all;
}

bool Optimiser::load(const std::vector<Parameter>& state) {
  const std::vector<Parameter> here = tensors();
  if (state.size() != here.size() + 1 || state[0].name != "steps") return false;
  const std::int64_t steps = counter_of(state[0].value);
  if (steps < 0) return false;
  for (std::size_t i = 0; i < here.size(); ++i) {
    const Parameter& given = state[i + 1];
    if (given.name != here[i].name || given.value.sizes() != here[i].value.sizes()) return false;
    if (!torch::isfinite(given.value).all().item<bool>()) return false;
  }
  for (std::size_t i = 0; i < here.size(); ++i) here[i].value.copy_(state[i + 1].value);
  steps_ = steps;
  return true;
}

torch::Tensor counter_to_tensor(std::int64_t count) {
  return torch::tensor({static_cast<float>(count / kCounterUnit), static_cast<float>(count % kCounterUnit)});
}

std::int64_t counter_of(const torch::Tensor& tensor) {
  if (tensor.scalar_type() != torch::kFloat32 || tensor.dim() != 1 || tensor.size(0) != 2) return -1;
  const torch::Tensor here = tensor.to(torch::Device(torch::kCPU)).contiguous();
  const float* parts = here.data_ptr<float>();
  for (const auto& [part, below] : {std::pair{parts[0], 0x1p24F}, std::pair{parts[1], 0x1p20F}})
    if (!(part >= 0 && part < below && part == std::floor(part))) return -1;
  return static_cast<std::int64_t>(parts[0]) * kCounterUnit + static_cast<std::int64_t>(parts[1]);
}

}  // namespace chronoveil::neural
