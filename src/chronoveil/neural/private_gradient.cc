#include "chronoveil/neural/private_gradient.h"

#include <cmath>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chronoveil/base/rounded_up.h"

namespace chronoveil::neural {
namespace {

constexpr double kLeastBound = 0x1p-30;  // below, float_margin() is not proven

Result<void> positive(const char* name, double value) {
  if (!(std::isfinite(value) && value > 0)) return invalid(name, value, "a finite number greater than 0");
  return {};
}

}  // namespace

PrivateGradient::PrivateGradient(const PrivateStep& step, const Parameters& parameters, noise::Grid grid,
                                 noise::Sampler sampler)
    : step_(step), parameters_(&parameters), grid_(grid), sampler_(std::move(sampler)) {}

Result<PrivateGradient> PrivateGradient::make(const PrivateStep& step, const Parameters& parameters,
                                              std::int64_t most_windows) {
  CV_CHECK(positive("clip", step.clip));
  CV_CHECK(positive("noise_multiplier", step.noise_multiplier));
  if (step.batch_size < 1) return invalid("batch_size", std::to_string(step.batch_size), "at least 1");
  // Noise is never smaller than stated.
  const double scale = product_up(step.noise_multiplier, step.clip);
  // Gradients and weights are float32: far from 1, their errors are not proven.
  if (step.clip < 0x1p-25 || step.clip > 0x1p50) return invalid("clip", step.clip, "between 2^-25 and 2^50");
  if (scale < 0x1p-100 || scale > 0x1p100)
    return invalid("noise_multiplier", step.noise_multiplier,
                   "such that noise_multiplier * clip is between 2^-100 and 2^100");
  CV_TRY(const noise::Grid grid, noise::Grid::make(std::ldexp(1.0, std::ilogb(scale) - 30)));
  CV_TRY(const double steps, grid.in_steps(scale));
  CV_TRY(noise::Sampler sampler, noise::Sampler::make(noise::Law::rounded_gaussian, steps));
  PrivateGradient made(step, parameters, grid, std::move(sampler));
  made.most_windows_ = most_windows;
  if (made.grid_margin() > step.clip / 4)
    return invalid("noise_multiplier", step.noise_multiplier,
                   "smaller for this number of parameters: the grid of the noise is too coarse to clip on");
  if (made.bound_for(step.batch_size) == 0)
    return invalid("batch_size", std::to_string(step.batch_size),
                   "smaller: the float error of a sum of so many gradients would be greater than the gradients");
  return made;
}

double PrivateGradient::grid_margin() const {
  return grid_.step() * std::sqrt(static_cast<double>(parameters_->size()));
}

double PrivateGradient::bound_within(double room, double growth) const {
  const double bound = room * (1 - 0x1p-48) / growth;
  if (!(bound >= kLeastBound)) return 0;
  const auto rounded = static_cast<float>(bound);
  return rounded <= bound ? rounded : std::nextafter(rounded, 0.0F);
}

double PrivateGradient::bound_for(std::int64_t windows) const {
  // The margin of the grid is at most half of C, so the error of the rest is within what the factor allows for.
  if (varies())
    return bound_within(step_.clip - grid_margin(), norm_factor(*parameters_) * (1 + 2 * double_margin(most_windows_)));
  return bound_within(2 * step_.clip - grid_margin(), 2 * (1 + float_margin(*parameters_, windows)));
}

Result<torch::Tensor> PrivateGradient::on_grid(const torch::Tensor& sum) const {
  const std::int64_t d = parameters_->size();
  if (!sum.defined()) return torch::zeros({d}, torch::kInt64);
  if (sum.dim() != 1 || sum.size(0) != d || sum.scalar_type() != (varies() ? torch::kFloat64 : torch::kFloat32))
    return fail(ErrorKind::internal, "the sum of gradients has not one coordinate of its kind per parameter");
  const torch::NoGradGuard no_grad;
  // Exact for a float32: times a power of two it is a double, and so is that plus 1/2, unless the number is so small or
  // so large that the whole part is the same. A double has its 1/2 added with an error of 2^-53 of itself, which
  // double_margin() counts.
  torch::Tensor steps = sum.to(torch::Device(torch::kCPU), torch::kFloat64);
  if (!torch::isfinite(steps).all().item<bool>())
    return fail(ErrorKind::internal, "the sum of clipped gradients is not finite");
  constexpr auto kLimit = static_cast<double>(noise::kValueLimit);
  return steps.mul(std::ldexp(1.0, -grid_.step_log2())).add_(0.5).floor_().clamp_(-kLimit, kLimit).to(torch::kInt64);
}

Result<torch::Tensor> PrivateGradient::noisy_on_grid(const torch::Tensor& sum, DrawRight& right) const {
  CV_TRY(BitSource* const bits, right.bits());
  // Noise first: a device may still be at work on the sum, for which on_grid() waits.
  const auto d = static_cast<std::size_t>(parameters_->size());
  std::vector<std::int64_t> noise(d);
  sampler_.fill(noise, *bits);
  if (bits->failed()) return fail(ErrorKind::internal, "the source of random bits has failed");
  CV_TRY(torch::Tensor noisy, on_grid(sum));
  const std::span<std::int64_t> values(noisy.data_ptr<std::int64_t>(), d);
  for (std::size_t i = 0; i < d; ++i) values[i] = noise::add_noise(values[i], noise[i]);
  return noisy;
}

Result<torch::Tensor> PrivateGradient::operator()(const torch::Tensor& sum, DrawRight& right) const {
  CV_TRY(const torch::Tensor noisy, noisy_on_grid(sum, right));
  return noisy.to(torch::kFloat64).mul_(grid_.step() / static_cast<double>(step_.batch_size)).to(torch::kFloat32);
}

}  // namespace chronoveil::neural
