#include "chronoveil/accounting/grid/loss_model.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/accounting/events/gaussian_mixtures.h"
#include "chronoveil/accounting/events/sampled.h"

namespace chronoveil::accounting {
namespace {

using Made = Result<std::unique_ptr<const LossModel>>;

struct Maker {
  Made operator()(const Gaussian& e) const { return gaussian_model(1 / static_cast<long double>(e.noise_multiplier)); }
  Made operator()(const Laplace& e) const { return laplace_model(e.noise_multiplier); }
  Made operator()(const DiscreteGaussian& e) const {
    if (e.sensitivity == 0) return response_model(0, 2, 0);
    return discrete_gaussian_model(e.scale, e.sensitivity);
  }
  Made operator()(const DiscreteLaplace& e) const {
    if (e.sensitivity == 0) return response_model(0, 2, 0);
    return discrete_laplace_model(e.scale, e.sensitivity);
  }
  Made operator()(const Exponential& e) const {
    return e.epsilon > 0 ? exponential_model(e.epsilon) : response_model(0, 2, 0);
  }
  Made operator()(const Pure& e) const { return response_model(e.epsilon, 2, 0); }
  Made operator()(const Approximate& e) const { return response_model(e.epsilon, 2, e.delta); }
  Made operator()(const RandomizedResponse& e) const { return response_model(e.epsilon, e.values, 0); }
  Made operator()(const Mixture& e) const {
    // The line is walked in small cells, so its length bounds the work.
    constexpr double kWidest = 1e5;
    const auto [p_low, p_high] = std::minmax_element(e.p.means.begin(), e.p.means.end());
    const auto [q_low, q_high] = std::minmax_element(e.q.means.begin(), e.q.means.end());
    if (!(std::max(*p_high, *q_high) - std::min(*p_low, *q_low) <= kWidest * e.noise_multiplier))
      return fail(ErrorKind::cannot_certify, "means: more than 10^5 noise multipliers apart cannot be priced");
    if (!(std::max(std::abs(*p_low), std::abs(*p_high)) <= 1e9 * e.noise_multiplier))
      return fail(ErrorKind::cannot_certify, "means: more than 10^9 noise multipliers from 0 cannot be priced");
    return mixture_model(e);
  }
  Made operator()(const TimeSubsampling& e) const { return time_subsampling_model(e); }
  Made operator()(const StructuredSubsampling& e) const { return structured_subsampling_model(e); }
  Made operator()(const RanSwitch& e) const { return ranswitch_model(e); }
  Made operator()(const StaSwitch& e) const { return staswitch_model(e); }
  Made operator()(const NoisySort& e) const { return noisy_sort_model(e); }
  Made operator()(const Threshold&) const {
    return fail(ErrorKind::cannot_certify,
                "threshold: this mechanism is known by its published analysis alone, and that is for single outputs; "
                "--analysis published gives its number");
  }
  Made operator()(const PoissonSampled& e) const { return poisson_sampled_model(e); }
  Made operator()(const SampledWithoutReplacement& e) const { return sampled_without_replacement_model(e); }
  Made operator()(const SampledWithReplacement& e) const { return sampled_with_replacement_model(e); }
  Made operator()(const DpSgd& e) const {
    return subsampled_gaussian_model(1 / static_cast<long double>(e.noise_multiplier), e.rate, Directions::fixed);
  }
  Made operator()(const Compose&) const { return fail(ErrorKind::internal, "compose has no model of its own"); }
};

}  // namespace

LossGrids LossModel::grids(double step, std::size_t bins, Reading reading) const {
  const LossHalves halves = this->halves(step, bins, reading != Reading::symmetric);
  if (reading == Reading::symmetric || !halves.attained) {
    const PositiveLoss& below = halves.lower ? *halves.lower : halves.upper;
    return {dominating(halves.upper), dominated(below, below)};
  }
  const auto& [above, below] = *halves.attained;
  if (reading == Reading::forward) return {dominating(above, below), dominated(above, below)};
  return {dominating(below, above), dominated(below, above)};
}

Result<std::unique_ptr<const LossModel>> make_loss_model(const Event& event) { return std::visit(Maker{}, event.kind); }

}  // namespace chronoveil::accounting
