#include "chronoveil/neural/models/student_t.h"

#include <cmath>
#include <numbers>

#include "chronoveil/neural/models/student_t_loss.h"

namespace chronoveil::neural {
namespace {

constexpr double kLeastScale = 1e-4;   // of a law, in units of the window's scale: the density stays bounded
constexpr double kMostFreedom = 1e6;   // as good as normal, for draws
constexpr double kLeastGamma = 1e-30;  // below all real draws of Gamma(freedom / 2); avoids division by 0

// In one loop, which also finds the gradient.
class Fused : public torch::autograd::Function<Fused> {
 public:
  static torch::Tensor forward(torch::autograd::AutogradContext* context, const torch::Tensor& location,
                               const torch::Tensor& scale, const torch::Tensor& freedom, const torch::Tensor& target,
                               const torch::Tensor& observed) {
    const torch::Tensor inputs[] = {location.contiguous(), scale.contiguous(), freedom.contiguous(),
                                    target.contiguous(), observed.contiguous()};
    const auto at = [&](std::size_t i) { return inputs[i].data_ptr<float>(); };
    const std::int64_t windows = location.size(0), terms = location.size(1) * location.size(2);
    torch::Tensor gradients = at::empty({3, windows, location.size(1), location.size(2)}, inputs[0].options());
    torch::Tensor loss = at::empty({windows}, inputs[0].options());
    float* const gradient = gradients.data_ptr<float>();
    student_t_loss({.location = at(0),
                    .scale = at(1),
                    .freedom = at(2),
                    .target = at(3),
                    .observed = at(4),
                    .loss = loss.data_ptr<float>(),
                    .location_gradient = gradient,
                    .scale_gradient = gradient + windows * terms,
                    .freedom_gradient = gradient + 2 * windows * terms},
                   windows, terms);
    context->saved_data["gradients"] = gradients;
    return loss;
  }
  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& arriving) {
    const torch::Tensor all = context->saved_data["gradients"].toTensor() * arriving[0].view({1, -1, 1, 1});
    return {all[0], all[1], all[2], torch::Tensor(), torch::Tensor()};
  }
};

}  // namespace

StudentT student_t(const torch::Tensor& location, const torch::Tensor& scale, const torch::Tensor& freedom) {
  return {location, torch::softplus(scale) + kLeastScale, torch::softplus(freedom) + 2};
}

torch::Tensor negative_log_likelihood(const StudentT& law, const torch::Tensor& target, const torch::Tensor& observed) {
  const bool fits = law.location.is_cpu() && law.location.scalar_type() == torch::kFloat32;
  return fits ? Fused::apply(law.location, law.scale, law.freedom, target, observed)
              : negative_log_likelihood_by_operations(law, target, observed);
}

torch::Tensor negative_log_likelihood_by_operations(const StudentT& law, const torch::Tensor& target,
                                                    const torch::Tensor& observed) {
  // An unobserved target may be anything: its difference is replaced before a gradient is formed.
  const torch::Tensor difference = target - law.location;
  const torch::Tensor z = torch::where(observed > 0, difference, torch::zeros_like(difference)) / law.scale;
  const torch::Tensor half = law.freedom / 2;
  const torch::Tensor each = (half + 0.5) * torch::log1p(z * z / law.freedom) + torch::log(law.scale) +
                             torch::log(law.freedom * std::numbers::pi) / 2 + torch::lgamma(half) -
                             torch::lgamma(half + 0.5);
  const torch::Tensor count = observed.sum({1, 2}).clamp_min(1);
  return (each * observed).sum({1, 2}) / count;
}

torch::Tensor draw(const StudentT& law, std::int64_t count, torch::Generator generator) {
  const torch::NoGradGuard no_grad;
  std::vector<std::int64_t> shape = law.location.sizes().vec();
  shape.insert(shape.begin(), count);
  const torch::Tensor normal = torch::randn(shape, generator, law.location.options());
  // The comparison is false for NaN, for which a draw of a gamma law would never end.
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

}  // namespace chronoveil::neural
