#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/accounting/grid/extremes.h"
#include "chronoveil/accounting/mixtures/gaussian_mixtures.h"
#include "chronoveil/accounting/mixtures/integrate.h"
#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {
namespace {

// Weights below this are dropped and charged as an infinite loss.
constexpr double kNegligible = 1e-60;

long double mixture_tail(const UnitMixture& mixture, double x) {
  long double sum = 0;
  for (std::size_t i = 0; i < mixture.means.size(); ++i)
    sum += mixture.weights[i] * normal_tail(static_cast<long double>(x) - mixture.means[i]);
  return sum;
}

// The same, rounded up (sign +1) or down: means have an error of kMuError, x − mean and its square a unit of 64 bits.
long double mixture_tail(const UnitMixture& mixture, double x, int sign) {
  long double sum = 0;
  for (std::size_t i = 0; i < mixture.means.size(); ++i) {
    const long double unknown =
        kMuError * std::abs(static_cast<long double>(mixture.means[i])) + 0x1p-63L * std::abs(x);
    const long double at = static_cast<long double>(x) - mixture.means[i] - sign * unknown;
    sum += mixture.weights[i] * normal_tail(at) * (1 + sign * 0x1p-63L * (8 + at * at));
  }
  return sum;
}

class MonotoneMixtureModel : public LossModel {
 public:
  MonotoneMixtureModel(UnitMixture p, UnitMixture q, bool symmetric)
      : p_(std::move(p)), q_(std::move(q)), symmetric_(symmetric) {
    dropped_p_ = drop_negligible(p_);
    dropped_q_ = drop_negligible(q_);
    dropped_ = dropped_p_.weight + dropped_q_.weight;
    const auto [p_low, p_high] = std::minmax_element(p_.means.begin(), p_.means.end());
    const auto [q_low, q_high] = std::minmax_element(q_.means.begin(), q_.means.end());
    low_ = std::min(*p_low, *q_low);
    high_ = std::max(*p_high, *q_high);
    least_loss_ = loss(low_ - kFar);
    most_loss_ = loss(high_ + kFar);
  }

  // δ is the largest P(X > x) − e^ε Q(X > x), at the crossing. Another x gives less, by the square of the difference;
  // the errors of the means and of both tails, which may nearly cancel, are rounded outward.
  long double delta(double epsilon) const override {
    const double x = crossing(epsilon, 0.5 * (low_ + high_));
    if (std::isinf(x)) return x > 0 ? dropped_ : 1.0L;
    const long double factor = std::exp(static_cast<long double>(epsilon));
    // Beyond the range of e^ε Q's share is left out: δ is then all of P's.
    const long double shared = std::isinf(factor) ? 0.0L : factor * mixture_tail(q_, x, -1);
    return larger(0.0L, mixture_tail(p_, x, +1) - shared) + dropped_;
  }
  // Any x gives a lower bound. The dropped part of P is missing; the dropped part of Q lies no further up than this.
  long double delta_lower(double epsilon) const override {
    const double x = crossing(epsilon, 0.5 * (low_ + high_));
    if (std::isinf(x)) return 0;
    const long double factor = std::exp(static_cast<long double>(epsilon));
    const long double unseen = dropped_q_.weight > 0 ? dropped_q_.weight * normal_tail(x - dropped_q_.high) : 0.0L;
    if (std::isinf(factor)) return 0;
    return larger(0.0L, mixture_tail(p_, x, -1) - factor * (mixture_tail(q_, x, +1) + unseen));
  }

  double infinite() const override { return dropped_; }
  double infinite_lower() const override { return 0; }
  bool symmetric() const override { return symmetric_; }
  // Several tries to find where a bin ends, each with all components.
  double terms() const override { return 8 * static_cast<double>(p_.means.size() + q_.means.size()); }
  // Pieces as narrow as gauss_width() from the middle of the means to the end of all mass.
  double least_terms() const override {
    const double range = high_ - low_ + 39;
    return static_cast<double>(p_.means.size() + q_.means.size()) * range * range / 6;
  }

  double top(double tail) const override {
    double low = low_, high = high_ + 40;
    for (int i = 0; i < 60; ++i) {
      const double mid = 0.5 * (low + high);
      (mixture_tail(p_, mid) > tail ? low : high) = mid;
    }
    return larger(0.0, loss(high));
  }

  LossHalves halves(double step, std::size_t bins, bool attained) const override {
    LossHalves halves;
    std::vector<bool> spoiled;
    halves.upper = half_of(step, bins, +1, spoiled);
    if (dropped_ > 0) halves.lower = without(halves.upper, spoiled);
    if (attained && !symmetric_) {
      const bool attained_alone = !directed();  // otherwise an upper bound rests on it, too
      std::vector<bool> spoiled_below;
      PositiveLoss below = half_of(step, bins, -1, spoiled_below);
      if (attained_alone && dropped_ > 0) below = without(std::move(below), spoiled_below);
      halves.attained = {attained_alone && halves.lower ? *halves.lower : halves.upper, std::move(below)};
      halves.attained->above.zero = halves.attained->below.zero = 0;  // one direction alone has no mass at 0
    }
    return halves;
  }

 protected:
  double loss(double x) const { return log_density(p_, x) - log_density(q_, x); }

  // √(2π) times the densities of P and Q at x, times e^{log_p} and e^{log_q}.
  virtual std::pair<double, double> densities(double x, double log_p, double log_q) const {
    auto sum = [x](const UnitMixture& mixture, double log_factor) {
      double total = 0;
      for (std::size_t k = 0; k < mixture.means.size(); ++k)
        total += mixture.weights[k] * std::exp(log_factor - 0.5 * (x - mixture.means[k]) * (x - mixture.means[k]));
      return total;
    };
    return {sum(p_, log_p), sum(q_, log_q)};
  }

  // The x whose loss is `target`; ±∞ if no x within reach of any mass has it, −∞ (everything is loss) if that is
  // unknown. Newton's steps, never outside a bracket: between means that lie far apart the loss is flat, and a step
  // along its slope leads nowhere. Any other x gives too small a δ.
  virtual double crossing(double target, double guess) const {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (!(least_loss_ < target) || std::isnan(most_loss_)) return -kInfinity;
    if (most_loss_ <= target) return kInfinity;
    double low = low_ - kFar, high = high_ + kFar;
    double x = std::clamp(guess, low, high);
    for (int i = 0; i < 400; ++i) {
      const double gap = loss(x) - target;
      (gap < 0 ? low : high) = x;
      if (high - low <= 4e-16 * std::max(std::abs(high), std::abs(low))) break;
      double next = x - gap / slope(x);
      if (!(next > low && next < high) || i % 8 == 7) next = 0.5 * (low + high);
      if (next == x) break;
      x = next;
    }
    return x;
  }

 private:
  // Components that were left out: their weight, and the range of their means.
  struct Dropped {
    double weight = 0, low = 0, high = 0;

    void add(double more, double mean_low, double mean_high) {
      if (!(more > 0)) return;
      low = weight > 0 ? std::min(low, mean_low) : mean_low;
      high = weight > 0 ? std::max(high, mean_high) : mean_high;
      weight += more;
    }
    // At least e^raised times their mass between a and b.
    double between(double a, double b, double raised) const {
      const double distance = std::max({0.0, low - b, a - high});
      return weight > 0 ? weight * std::exp(raised - 0.5 * distance * distance) : 0.0;
    }
  };

  static Dropped drop_negligible(UnitMixture& mixture) {
    UnitMixture kept;
    Dropped dropped;
    dropped.add(mixture.tail, mixture.tail_low, mixture.tail_high);
    for (std::size_t i = 0; i < mixture.means.size(); ++i) {
      if (mixture.weights[i] > kNegligible) {
        kept.means.push_back(mixture.means[i]);
        kept.weights.push_back(mixture.weights[i]);
      } else {
        dropped.add(mixture.weights[i], mixture.means[i], mixture.means[i]);
      }
    }
    mixture = std::move(kept);
    return dropped;
  }

  // For a lower bound: without the bins in which the dropped components may exceed the rounding error.
  static PositiveLoss without(PositiveLoss half, const std::vector<bool>& spoiled) {
    half.charged = 0;
    for (std::size_t i = 0; i < half.bins(); ++i)
      if (spoiled[i]) half.p[i] = half.q[i] = 0;
    if (spoiled.back()) half.beyond_p = half.beyond_q = 0;
    return half;
  }

  static double log_density(const UnitMixture& mixture, double x) {
    double peak = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < mixture.means.size(); ++i)
      peak = std::max(peak, -0.5 * (x - mixture.means[i]) * (x - mixture.means[i]));
    double sum = 0;
    for (std::size_t i = 0; i < mixture.means.size(); ++i)
      sum += mixture.weights[i] * std::exp(-0.5 * (x - mixture.means[i]) * (x - mixture.means[i]) - peak);
    return peak + std::log(sum);
  }

  static double posterior_mean(const UnitMixture& mixture, double x) {
    double peak = -std::numeric_limits<double>::infinity();
    for (double mean : mixture.means) peak = std::max(peak, -0.5 * (x - mean) * (x - mean));
    double sum = 0, weighted = 0;
    for (std::size_t i = 0; i < mixture.means.size(); ++i) {
      const double w = mixture.weights[i] * std::exp(-0.5 * (x - mixture.means[i]) * (x - mixture.means[i]) - peak);
      sum += w;
      weighted += w * mixture.means[i];
    }
    return weighted / sum;
  }

  // d loss / dx: the difference of the posterior means.
  double slope(double x) const { return posterior_mean(p_, x) - posterior_mean(q_, x); }

  // Positive losses of P‖Q (direction +1, x upward from the crossing of 0) or of Q‖P (direction −1, x downward).
  // `spoiled` says of each bin, and of what is beyond, whether components left out may matter there; empty if none are.
  PositiveLoss half_of(double step, std::size_t bins, int direction, std::vector<bool>& spoiled) const {
    const UnitMixture& p = direction > 0 ? p_ : q_;
    const UnitMixture& q = direction > 0 ? q_ : p_;
    PositiveLoss half = empty_half(step, bins);
    half.charged = dropped_;
    if (dropped_ > 0) spoiled.assign(bins + 1, false);
    const auto spoils = [&](double a, double b, double low, double p_mass, double q_mass) {
      constexpr double kRounding = 1e-14;  // well below kMassError
      const Dropped& of_p = direction > 0 ? dropped_p_ : dropped_q_;
      const Dropped& of_q = direction > 0 ? dropped_q_ : dropped_p_;
      return of_p.between(a, b, 0) > kRounding * p_mass || of_q.between(a, b, low) > kRounding * q_mass;
    };
    // Beyond these points neither mixture has mass that a double could hold.
    constexpr double kReach = 39;
    const double edge = direction > 0 ? high_ + kReach : low_ - kReach;
    double x = std::clamp(crossing(0, 0.5 * (low_ + high_)), low_ - kReach, high_ + kReach);
    const double start = x;
    std::size_t i = 0;
    for (; i < bins && direction * (edge - x) > 0; ++i) {
      const double low = half.loss(i);
      double next = crossing(direction * half.loss(i + 1), x + direction * 1e-3);
      next = direction > 0 ? std::clamp(next, x, edge) : std::clamp(next, edge, x);
      double p_mass = 0, q_mass = 0;
      integrate(std::min(x, next), std::max(x, next), low_, high_, [&](double at, double weight) {
        const auto [dp, dq] = direction > 0 ? densities(at, 0, low) : densities(at, low, 0);
        p_mass += weight * (direction > 0 ? dp : dq);
        q_mass += weight * (direction > 0 ? dq : dp);
      });
      half.p[i] = p_mass * kInvSqrtTwoPi;
      half.q[i] = q_mass * kInvSqrtTwoPi;
      if (dropped_ > 0) spoiled[i] = spoils(std::min(x, next), std::max(x, next), low, half.p[i], half.q[i]);
      x = next;
    }
    half.beyond_p = static_cast<double>(direction > 0 ? mixture_tail(p, x) : lower_tail(p, x));
    const long double factor = std::exp(static_cast<long double>(half.loss(bins)));
    const long double shared = direction > 0 ? mixture_tail(q, x) : lower_tail(q, x);
    half.beyond_q = std::isinf(factor) ? 0.0 : smaller(static_cast<double>(factor * shared), half.beyond_p);
    if (dropped_ > 0) {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      spoiled[bins] = spoils(direction > 0 ? x : -kInfinity, direction > 0 ? kInfinity : x, half.loss(bins),
                             half.beyond_p, half.beyond_q);
    }
    // Symmetrised: the mass in neither half is at 0.
    const long double both =
        direction > 0 ? mixture_tail(p, start) + mixture_tail(q, start) : lower_tail(p, start) + lower_tail(q, start);
    half.zero = symmetric_ ? 0.0 : static_cast<double>(larger(0.0L, 1 - both));
    return half;
  }

  static long double lower_tail(const UnitMixture& mixture, double x) {
    long double sum = 0;
    for (std::size_t i = 0; i < mixture.means.size(); ++i)
      sum += mixture.weights[i] * normal_tail(static_cast<long double>(mixture.means[i]) - x);
    return sum;
  }

  UnitMixture p_, q_;
  bool symmetric_;
  static constexpr double kFar = 200;  // from all means: what lies there is below the range of a long double
  double low_ = 0, high_ = 0;
  Dropped dropped_p_, dropped_q_;
  double dropped_ = 0;                     // the weight of all components left out
  double least_loss_ = 0, most_loss_ = 0;  // at low_ − kFar and high_ + kFar
};

class SubsampledGaussianModel final : public MonotoneMixtureModel {
 public:
  SubsampledGaussianModel(long double mu, double rate, Directions directions)
      : MonotoneMixtureModel({.means = {0, static_cast<double>(mu)}, .weights = {1 - rate, rate}},
                             {.means = {0}, .weights = {1}}, rate >= 1),
        exact_mu_(mu),
        mu_(static_cast<double>(mu)),
        rate_(rate),
        directions_(directions) {}
  bool directed() const override { return directions_ == Directions::fixed; }
  // Both grow with μ and with the rate: a rounded rate moves ln α' by the same relative amount as μ is moved here.
  long double delta(double epsilon) const override {
    return rate_ * thinned_profile(exact_mu_ * (1 + kMuError), epsilon, rate_);
  }
  long double delta_lower(double epsilon) const override {
    return rate_ * thinned_profile(exact_mu_ * (1 - kMuError), epsilon, rate_);
  }
  double terms() const override { return 2; }

 protected:
  // The component at 0 is the same under both: two exponentials instead of three.
  std::pair<double, double> densities(double x, double log_p, double log_q) const override {
    if (log_p + log_q > 600) return MonotoneMixtureModel::densities(x, log_p, log_q);
    const double at_zero = std::exp(-0.5 * x * x), shifted = std::exp(-0.5 * (x - mu_) * (x - mu_));
    const double p_scale = log_p == 0 ? 1.0 : std::exp(log_p), q_scale = log_q == 0 ? 1.0 : std::exp(log_q);
    return {p_scale * ((1 - rate_) * at_zero + rate_ * shifted), q_scale * at_zero};
  }
  double crossing(double target, double) const override {
    const double ratio = std::expm1(target) / rate_ + 1;
    if (ratio <= 0) return -std::numeric_limits<double>::infinity();
    const double log_ratio = target > 30 ? target - std::log(rate_) + std::log1p(-(1 - rate_) * std::exp(-target))
                                         : std::log1p(std::expm1(target) / rate_);
    return log_ratio / mu_ + mu_ / 2;
  }

 private:
  long double exact_mu_;
  double mu_, rate_;
  Directions directions_;
};

}  // namespace

std::unique_ptr<const LossModel> monotone_mixture_model(UnitMixture p, UnitMixture q, bool symmetric) {
  return std::make_unique<MonotoneMixtureModel>(std::move(p), std::move(q), symmetric);
}

std::unique_ptr<const LossModel> subsampled_gaussian_model(long double mu, double rate, Directions directions) {
  if (rate <= 0) return response_model({});
  if (rate >= 1) return gaussian_model(mu);
  return std::make_unique<SubsampledGaussianModel>(mu, rate, directions);
}

}  // namespace chronoveil::accounting
