// Time subsampling [Koga22]: J, a Poisson(p) subset of the steps, is public and independent of the data; one person
// added or removed changes at most I steps by at most 1 each.
#include <algorithm>
#include <cmath>

#include "chronoveil/accounting/extremes.h"
#include "chronoveil/accounting/filter_kernel.h"
#include "chronoveil/accounting/gaussian_mixtures.h"
#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {
namespace {

// After a filter: δ(ε) <= E f̃(Σ_{t∈J} v_t) with v_t in [0, c] and Σ v_t <= S, where f̃ is f(s) = G(√s/σ) up to its
// inflection s* = 2(√(1+ε²) − 1)σ² and its tangent beyond: convex, so the expectation is largest when floor(S/c)
// weights are c and one is the remainder. Also never more than G(√S/σ), all steps kept.
class FilteredModel final : public LossModel {
 public:
  FilteredModel(double sigma, double rate, FilterReach reach) : sigma_(sigma), energy_(reach.energy), rate_(rate) {
    const double whole = std::floor(reach.energy / reach.highest);
    unit_ = reach.highest;
    remainder_ = std::max(0.0, reach.energy - whole * reach.highest);
    kept_ = binomial(static_cast<std::int64_t>(whole), rate);
  }

  bool tight() const override { return false; }
  // Two values at each of two points a bin.
  double terms() const override { return 4 * static_cast<double>(kept_.weights.size()); }
  long double delta(double epsilon) const override {
    const long double whole = gaussian_profile(std::sqrt(energy_) / sigma_, epsilon);
    return smaller(1.0L, smaller(whole, averaged(epsilon)));
  }
  double top(double tail) const override { return gaussian_model(std::sqrt(energy_) / sigma_)->top(tail); }

  LossHalves halves(double step, std::size_t bins, bool) const override {
    // Only the profile is known: evaluate it on the grid and connect the dots of its convex envelope.
    std::vector<long double> values(2 * bins + 1);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = delta(step / 2 * static_cast<double>(i)) * (1 + kProfileError * 1e-4L);
    LossHalves halves;
    halves.upper = paired(from_profile(step / 2, values));
    return halves;
  }

 private:
  long double averaged(double epsilon) const {
    const long double variance = static_cast<long double>(sigma_) * sigma_;
    const long double e = epsilon;
    // √(1+ε²) − 1 without cancellation.
    const long double inflection = 2 * (e * e / (std::sqrt(1 + e * e) + 1)) * variance;
    long double at_inflection = 0, slope = 0;
    if (inflection > 0) {
      const long double mu = std::sqrt(inflection) / sigma_;
      at_inflection = gaussian_profile(mu, e);
      slope = gaussian_profile_slope(mu, e) / variance;
    } else {
      return 1;  // the tangent at 0 is vertical
    }
    auto majorant = [&](long double s) {
      if (s <= 0) return 0.0L;
      return s <= inflection ? gaussian_profile(std::sqrt(s) / sigma_, e) : at_inflection + slope * (s - inflection);
    };
    long double sum = kept_.tail;
    for (std::size_t k = 0; k < kept_.weights.size(); ++k) {
      if (kept_.weights[k] <= 0) continue;
      const long double base = static_cast<long double>(unit_) * static_cast<long double>(k);
      sum += kept_.weights[k] *
             ((1 - static_cast<long double>(rate_)) * majorant(base) + rate_ * majorant(base + remainder_));
    }
    return sum;
  }

  double sigma_, energy_, rate_, unit_ = 1, remainder_ = 0;
  Binomial kept_;
};

}  // namespace

Result<std::unique_ptr<const LossModel>> time_subsampling_model(const TimeSubsampling& event) {
  const double sigma = event.noise_multiplier;
  if (event.rate <= 0) return response_model(0, 2, 0);
  if (event.filter_width) {
    const auto kernel = filter_kernel(*event.length, *event.filter_width);
    const FilterReach reach = filter_reach(kernel, event.participation);
    if (!(reach.highest > 0)) return response_model(0, 2, 0);
    return std::make_unique<FilteredModel>(sigma, event.rate, reach);
  }
  if (event.rate >= 1) return gaussian_model(std::sqrt(static_cast<double>(event.participation)) / sigma);
  if (event.participation > 100'000'000)
    return fail(ErrorKind::cannot_certify, "participation: more than 10^8 steps cannot be priced");
  // Without a filter, exactly: δ(ε) = Σ_k Bin(k; I, p) G(√k/σ), the number of changed steps that are kept.
  const Binomial kept = binomial(event.participation, event.rate);
  std::vector<double> mus, weights;
  for (std::size_t k = 0; k < kept.weights.size(); ++k) {
    if (kept.weights[k] <= 0) continue;
    mus.push_back(std::sqrt(static_cast<double>(k)) / sigma);
    weights.push_back(kept.weights[k]);
  }
  return revealed_gaussians_model(std::move(mus), std::move(weights), kept.tail);
}

}  // namespace chronoveil::accounting
