#include <cmath>
#include <limits>

#include "chronoveil/accounting/events/sampled/sampled_loss.h"
#include "chronoveil/accounting/grid/extremes.h"
#include "chronoveil/accounting/mixtures/gaussian_mixtures.h"
#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {
namespace {

class RevealedGaussiansModel final : public LossModel {
 public:
  RevealedGaussiansModel(std::vector<long double> mus, std::vector<double> weights, double tail, double rate)
      : exact_mus_(std::move(mus)), weights_(std::move(weights)), rate_(rate), tail_(tail) {
    for (const long double mu : exact_mus_) mus_.push_back(static_cast<double>(mu));
  }

  long double delta(double epsilon) const override { return rate_ * (mean(epsilon, +1) + tail_); }
  long double delta_lower(double epsilon) const override { return rate_ * mean(epsilon, -1); }

  double infinite() const override { return rate_ * tail_; }
  double infinite_lower() const override { return 0; }
  double terms() const override { return static_cast<double>(mus_.size()); }

  double top(double tail) const override {
    double highest = 0;
    for (std::size_t k = 0; k < mus_.size(); ++k) {
      const double share = tail / static_cast<double>(mus_.size());
      if (mus_[k] > 0 && weights_[k] * rate_ > share)
        highest = larger(highest, mus_[k] * normal_quantile_above(share / weights_[k]) + mus_[k] * mus_[k] / 2);
    }
    return loss_outside(highest, rate_);
  }

  LossHalves halves(double step, std::size_t bins, bool) const override {
    PositiveLoss half = empty_half(step, bins);
    double total = 0;
    for (std::size_t i = 0; i <= bins; ++i) {
      const double low = half.loss(i), high = i < bins ? half.loss(i + 1) : std::numeric_limits<double>::infinity();
      const double inner_low = loss_inside(low, rate_), inner_high = i < bins ? loss_inside(high, rate_) : high;
      double p = 0, q = 0;
      for (std::size_t k = 0; k < mus_.size(); ++k) {
        if (!(mus_[k] > 0)) continue;
        const BinMass mass = gaussian_bin(mus_[k], inner_low, inner_high);
        p += weights_[k] * mass.p;
        q += weights_[k] * mass.q;
      }
      // h(α) = R g(α'): the Q-mass is that of g, the P-mass (1−R) × Q + R × P; q is rescaled from e^inner to e^low.
      const double p_mass = (1 - rate_) * std::exp(-inner_low) * q + rate_ * p;
      const double q_mass = std::exp(low - inner_low) * q;
      (i < bins ? half.p[i] : half.beyond_p) = p_mass;
      (i < bins ? half.q[i] : half.beyond_q) = q_mass;
      total += p_mass + q_mass * std::exp(-low);
    }
    half.charged = rate_ * tail_;
    half.zero = larger(0.0, 1 - total - half.charged);
    LossHalves halves;
    halves.upper = std::move(half);
    return halves;
  }

 private:
  // Σ w_k G_{α'}(μ_k), rounded up (sign +1) or down.
  long double mean(double epsilon, int sign) const {
    long double sum = 0;
    for (std::size_t k = 0; k < exact_mus_.size(); ++k)
      if (exact_mus_[k] > 0)
        sum += weights_[k] * thinned_profile(exact_mus_[k] * (1 + sign * kMuError), epsilon, rate_);
    return sum;
  }

  std::vector<long double> exact_mus_;
  std::vector<double> mus_, weights_;
  double rate_, tail_;
};

}  // namespace

std::unique_ptr<const LossModel> revealed_gaussians_model(std::vector<long double> mus, std::vector<double> weights,
                                                          double tail, double rate) {
  return std::make_unique<RevealedGaussiansModel>(std::move(mus), std::move(weights), tail, rate);
}

}  // namespace chronoveil::accounting
