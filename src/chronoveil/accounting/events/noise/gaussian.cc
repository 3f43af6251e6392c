#include "chronoveil/accounting/events/noise/gaussian.h"

#include <cmath>
#include <limits>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/mixtures/gaussian_mixtures.h"
#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {
namespace {

class GaussianModel final : public LossModel {
 public:
  explicit GaussianModel(long double mu) : exact_mu_(mu), mu_(static_cast<double>(mu)) {}
  // The profile grows with μ. At large μ the rounding errors of μ and of ε/μ − μ/2 matter, and are rounded outward.
  long double delta(double epsilon) const override { return gaussian_profile(exact_mu_ * (1 + kExactError), epsilon); }
  long double delta_lower(double epsilon) const override {
    return gaussian_profile(exact_mu_ * (1 - kExactError), epsilon);
  }
  double top(double tail) const override { return mu_ * normal_quantile_above(tail) + mu_ * mu_ / 2; }
  LossHalves halves(double step, std::size_t bins, bool) const override {
    PositiveLoss half = empty_half(step, bins);
    for (std::size_t i = 0; i < bins; ++i) {
      const BinMass mass = gaussian_bin(mu_, half.loss(i), half.loss(i + 1));
      half.p[i] = mass.p;
      half.q[i] = mass.q;
    }
    const BinMass beyond = gaussian_bin(mu_, half.loss(bins), std::numeric_limits<double>::infinity());
    half.beyond_p = beyond.p;
    half.beyond_q = beyond.q;
    half.zero = 0;
    LossHalves halves;
    halves.upper = std::move(half);
    return halves;
  }

 private:
  static constexpr long double kExactError = 1e-16L;  // a thousand roundings of 2^-64, for a thousand composed noises
  long double exact_mu_;                              // at large μ, ε/μ − μ/2 cancels: a double would not do
  double mu_;
};

}  // namespace

std::unique_ptr<const LossModel> gaussian_model(long double mu) { return std::make_unique<GaussianModel>(mu); }

MadeLoss Gaussian::loss() const { return gaussian_model(1 / static_cast<long double>(noise_multiplier)); }

Result<Event> Gaussian::for_replacement() const { return Event{Gaussian{noise_multiplier / 2}}; }

}  // namespace chronoveil::accounting
