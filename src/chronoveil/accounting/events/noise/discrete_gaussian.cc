#include "chronoveil/accounting/events/noise/discrete_gaussian.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/accounting/closed_renyi.h"
#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/grid/extremes.h"
#include "chronoveil/accounting/grid/loss_model.h"
#include "chronoveil/accounting/moments.h"
#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {
namespace {

class DiscreteGaussianModel final : public LossModel {
 public:
  DiscreteGaussianModel(double scale, std::int64_t shift) : s_(scale), d_(static_cast<long double>(shift)) {
    total_ = 2 * sum_from(1) + 1;
  }

  Lattice lattice() const override { return {static_cast<double>(d_ / (2 * s_ * s_)), true}; }

  long double delta(double epsilon) const override { return profile(epsilon, +1); }
  long double delta_lower(double epsilon) const override { return profile(epsilon, -1); }

  double top(double tail) const override {
    long double low = 0, high = 160;
    for (int i = 0; i < 60; ++i) {
      const long double mid = (low + high) / 2;
      (sum_from(std::ceil(mid * s_)) / total_ > tail ? low : high) = mid;
    }
    const long double x = std::ceil(high * s_) + d_;
    return static_cast<double>(d_ * (2 * x - d_) / (2 * s_ * s_));
  }

  LossHalves halves(double step, std::size_t bins, bool) const override {
    PositiveLoss half = empty_half(step, bins);
    long double first = std::floor(d_ / 2) + 1;
    for (std::size_t i = 0; i < bins; ++i) {
      // Losses within 1e-17 of the edge are kept below it: an exact multiple of the lattice must not slip up a bin.
      const long double edge = static_cast<long double>(half.loss(i + 1)) * (1 + 1e-15L);
      const long double next = std::max(first, std::floor(edge * s_ * s_ / d_ + d_ / 2) + 1);
      if (next > first) {
        half.p[i] = static_cast<double>(sum_between(first - d_, next - d_) / total_);
        half.q[i] = smaller(static_cast<double>(sum_between(first, next, half.loss(i)) / total_), half.p[i]);
      }
      first = next;
    }
    half.beyond_p = static_cast<double>(sum_from(first - d_) / total_);
    half.beyond_q = smaller(static_cast<double>(sum_from(first, half.loss(bins)) / total_), half.beyond_p);
    half.zero = std::fmod(d_, 2.0L) == 0 ? static_cast<double>(density(d_ / 2) / total_) : 0.0;
    LossHalves halves;
    halves.upper = std::move(half);
    return halves;
  }

 private:
  // Rounded outward: for a wide law two nearly equal sums are subtracted, each with its own error. Above a loss of ε, P
  // has at least e^ε times the mass of Q, so q never exceeds p.
  long double profile(double epsilon, int sign) const {
    // The first output with a loss above ε. It may be the one before, if that one's loss is within rounding of ε.
    const long double edge = epsilon * s_ * s_ / d_ + d_ / 2, first = std::floor(edge) + 1;
    const long double before = edge - (first - 1) <= 1e-18L * edge ? density(first - 1 - d_) : 0;
    const long double p = sum_from(first - d_), q = smaller(sum_from(first, epsilon), p);
    const long double p_error = sum_error(p, first - d_);
    const long double error = p_error + smaller(sum_error(q + before, first), p + before);
    return larger(0.0L, smaller(p - q + sign * error, p + before + p_error)) / total_;
  }

  // The error of a sum from there on: a few roundings of 2^-64, and as many of the exponent, relative to its size. If
  // they come near 1, the bound says nothing.
  long double sum_error(long double sum, long double from) const {
    const long double relative = 1e-18L * (10 + (from > 0 ? from * from / (2 * s_ * s_) : 0));
    return relative < 0.1L ? sum * relative : std::numeric_limits<long double>::infinity();
  }

  // e^{scale − x²/2s²}. At large losses Q's masses underflow, but not times e^loss.
  long double density(long double x, long double scale = 0) const { return std::exp(scale - x * x / (2 * s_ * s_)); }

  // Σ_{x >= from} e^{scale − x²/2s²}: term by term for small s and where each is less than the last over e; otherwise
  // by Euler and Maclaurin.
  long double sum_from(long double from, long double scale = 0) const {
    if (from <= 0) {
      // By symmetry around 0: everything, less what lies below.
      const long double positive = sum_from(1, scale);
      return density(0, scale) + positive + (positive - sum_from(1 - from, scale));
    }
    if (s_ < 64 || from > s_ * s_) {
      long double sum = 0;
      for (long double x = from;; x += 1) {
        const long double term = density(x, scale);
        sum += term;
        if (!(term > sum * 1e-22L)) return sum;  // also if it is NaN
      }
    }
    // ∫ + f/2 − Σ B_2k/(2k)! f^(2k−1), and f^(n) = (−1/s)^n He_n(x/s) f. Terms shrink by (x/(2π s²))² or more.
    const long double t = from / s_, f = density(from, scale);
    static constexpr long double kBernoulli[] = {1.0L / 12,          -1.0L / 720,
                                                 1.0L / 30240,       -1.0L / 1209600,
                                                 1.0L / 47900160,    -691.0L / 1307674368000,
                                                 1.0L / 74724249600, -3617.0L / 10670622842880000};
    long double correction = 0.5L, he_before = 1, he = t, order = 1, inverse = 1 / s_;
    for (const long double bernoulli : kBernoulli) {
      correction += bernoulli * he * inverse;
      for (int twice = 0; twice < 2; ++twice) {
        const long double he_next = t * he - order * he_before;
        he_before = he;
        he = he_next;
        order += 1;
      }
      inverse /= s_ * s_;
    }
    return f * (s_ * mills_ratio(t) + correction);
  }

  long double sum_between(long double from, long double to, long double scale = 0) const {
    if (to - from <= 64) {
      long double sum = 0;
      const int terms = static_cast<int>(to - from);
      for (int i = 0; i < terms; ++i) sum += density(from + i, scale);
      return sum;
    }
    // Far from 0 on one side, so that nothing cancels.
    if (to <= 0) return sum_from(1 - to, scale) - sum_from(1 - from, scale);
    return sum_from(from, scale) - sum_from(to, scale);
  }

  long double s_, d_, total_ = 1;
};

}  // namespace

MadeLoss DiscreteGaussian::loss() const {
  if (sensitivity == 0) return response_model({});
  return std::make_unique<DiscreteGaussianModel>(scale, sensitivity);
}

Result<Event> DiscreteGaussian::for_replacement() const {
  if (sensitivity > std::numeric_limits<std::int64_t>::max() / 2) return not_convertible(kName);
  return Event{DiscreteGaussian{scale, 2 * sensitivity}};
}

double DiscreteGaussian::renyi(double order) const {
  const double mu = static_cast<double>(sensitivity) / scale;
  return order * squared(mu) / 2;
}

Result<ZcdpCost> DiscreteGaussian::zcdp(double count) const {
  const double mu = static_cast<double>(sensitivity) / scale;
  return ZcdpCost{count * squared(mu) / 2 * kRoundedUp, 0};
}

}  // namespace chronoveil::accounting
