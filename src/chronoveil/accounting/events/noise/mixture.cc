#include "chronoveil/accounting/events/noise/mixture.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/grid/extremes.h"
#include "chronoveil/accounting/grid/loss_model.h"
#include "chronoveil/accounting/normal.h"

namespace chronoveil::accounting {
namespace {

// Σ ± e^{c_i + k_i x}, k rising. Divided by e^{k_0 x} and differentiated it has one term fewer, so its real zeros are
// separated by those of that shorter sum; there are at most as many as sign changes (Descartes' rule for exponentials).
struct ExponentialSum {
  struct Term {
    bool positive;
    long double log_size, rate;
  };
  std::vector<Term> terms;

  long double at(long double x) const {  // times a positive factor: only the sign and the zeros matter
    long double peak = -std::numeric_limits<long double>::infinity();
    for (const Term& term : terms) peak = std::max(peak, term.log_size + term.rate * x);
    long double sum = 0;
    for (const Term& term : terms) {
      const long double size = std::exp(term.log_size + term.rate * x - peak);
      sum += term.positive ? size : -size;
    }
    return sum;
  }

  // The zeros inside (low, high), rising.
  std::vector<long double> zeros(long double low, long double high) const {
    int changes = 0;
    for (std::size_t i = 1; i < terms.size(); ++i) changes += terms[i].positive != terms[i - 1].positive;
    if (changes == 0) return {};
    std::vector<long double> cuts{low};
    if (changes > 1) {
      ExponentialSum shorter;
      for (std::size_t i = 1; i < terms.size(); ++i)
        shorter.terms.push_back(
            {terms[i].positive, terms[i].log_size + std::log(terms[i].rate - terms[0].rate), terms[i].rate});
      for (long double cut : shorter.zeros(low, high)) cuts.push_back(cut);
    }
    cuts.push_back(high);
    std::vector<long double> found;
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      long double left = cuts[i - 1], right = cuts[i];
      const bool starts_below = at(left) < 0;
      if (starts_below == (at(right) < 0)) continue;
      for (int step = 0; step < 90; ++step) {
        const long double middle = (left + right) / 2;
        ((at(middle) < 0) == starts_below ? left : right) = middle;
      }
      found.push_back((left + right) / 2);
    }
    return found;
  }
};

class MixtureModel final : public LossModel {
 public:
  explicit MixtureModel(const Mixture& event) {
    // Only differences of means matter, and far from 0 a double would lose them: means are counted from the lowest.
    const long double origin = std::min(*std::min_element(event.p.means.begin(), event.p.means.end()),
                                        *std::min_element(event.q.means.begin(), event.q.means.end()));
    auto scaled = [&](const GaussianMixture& in) {
      ExactComponents by_mean;  // equal means become one component
      double sum = 0;
      for (double weight : in.weights) sum += weight;
      for (std::size_t i = 0; i < in.means.size(); ++i)
        if (in.weights[i] > 0) by_mean[(in.means[i] - origin) / event.noise_multiplier] += in.weights[i] / sum;
      return by_mean;
    };
    auto rounded = [](const ExactComponents& exact) {
      Components by_mean;
      for (const auto& [mean, weight] : exact) by_mean[static_cast<double>(mean)] += weight;
      return by_mean;
    };
    exact_p_ = scaled(event.p);
    exact_q_ = scaled(event.q);
    p_ = rounded(exact_p_);
    q_ = rounded(exact_q_);
    low_ = std::min(p_.begin()->first, q_.begin()->first);
    high_ = std::max(p_.rbegin()->first, q_.rbegin()->first);
  }

  bool symmetric() const override { return false; }
  long double delta(double epsilon) const override {
    return larger(one_way(exact_p_, exact_q_, epsilon, +1), one_way(exact_q_, exact_p_, epsilon, +1));
  }
  long double delta_lower(double epsilon) const override {
    return larger(one_way(exact_p_, exact_q_, epsilon, -1), one_way(exact_q_, exact_p_, epsilon, -1));
  }

  // Pieces as narrow as gauss_width() over the whole line.
  double least_terms() const override {
    const double range = high_ - low_ + 78;
    return static_cast<double>(p_.size() + q_.size()) * range * range / 3;
  }

  double top(double tail) const override {
    const auto [from, to] = range(tail / 2);
    double highest = 0;
    const double width = (to - from) / 4096;
    Edge left = edge(from);
    for (int i = 1; i <= 4096; ++i) {
      const Edge right = edge(from + width * i);
      const double steepest = std::max(std::abs(left.mean_p - right.mean_q), std::abs(right.mean_p - left.mean_q));
      highest = larger(highest, larger(std::abs(left.loss), std::abs(right.loss)) + steepest * width / 2);
      left = right;
    }
    return highest;
  }

  LossHalves halves(double step, std::size_t bins, bool) const override {
    PositiveLoss forward_up = empty_half(step, bins), backward_up = forward_up;
    PositiveLoss forward_low = forward_up, backward_low = forward_up;
    for (PositiveLoss* half : {&forward_up, &backward_up, &forward_low, &backward_low}) half->zero = 0;
    // Outside this range the mass of both sides is negligible; it is charged as an infinite loss.
    constexpr double kOutside = 1e-80;
    const auto [from, to] = range(kOutside);
    forward_up.infinite = backward_up.infinite = 2 * kOutside;
    const double reach = step * static_cast<double>(bins);
    Edge left = edge(from);
    for (double width = 0.01; left.x < to;) {
      // The loss has slope E_p[mean | x] − E_q[mean | x], and both rise with x: so it is bounded inside a cell, and a
      // cell's losses lie in a narrow band.
      Edge right = edge(std::min(left.x + width, to));
      double steepest = std::max(std::abs(left.mean_p - right.mean_q), std::abs(right.mean_p - left.mean_q));
      const bool beyond = std::min(std::abs(left.loss), std::abs(right.loss)) - steepest * (right.x - left.x) > reach;
      while (!beyond && steepest * (right.x - left.x) > step / 4 && right.x - left.x > 1e-9) {
        right = edge(left.x + std::max(0.6e-9, 0.7 * step / (4 * steepest)));
        steepest = std::max(std::abs(left.mean_p - right.mean_q), std::abs(right.mean_p - left.mean_q));
      }
      const double band = steepest * (right.x - left.x);
      const double slack =
          std::max(0.0, (band - std::abs(right.loss - left.loss)) / 2) + 1e-13 * (1 + std::abs(left.loss));
      const double lowest = std::min(left.loss, right.loss) - slack, highest = std::max(left.loss, right.loss) + slack;
      const CellMasses mass = integrate(left.x, right.x, std::clamp(0.0, lowest, highest));
      spread(forward_up, lowest, highest, mass.base, mass.p(), mass.q_scaled());
      spread(backward_up, -highest, -lowest, -mass.base, mass.q(), mass.p_scaled());
      if (mass.raised_p > 0 && mass.raised_q > 0) {
        const double merged = mass.base + std::log(mass.raised_p / mass.raised_q);
        if (merged > 0) add_atom(forward_low, std::min(merged, reach), mass.p());
        if (merged == 0) forward_low.zero += mass.p();
        if (merged < 0) add_atom(backward_low, std::min(-merged, reach), mass.q());
      }
      width = beyond ? 0.25 : std::min(0.25, 0.9 * step / (4 * std::max(steepest, 1e-300)));
      left = right;
    }
    // Under P: losses above 0, at 0 and below 0; likewise for the reverse. Symmetrise by the larger profile.
    LossHalves out;
    finish(forward_up);
    finish(backward_up);
    out.upper = pointwise_maximum({forward_up, backward_up});
    out.lower = maximum_of_merged(forward_low, backward_low);
    // Real neighbours show the same direction in all uses, which is less than the larger of both at every step.
    backward_low.zero = forward_low.zero;
    out.attained = LossHalves::OneWay{std::move(forward_low), std::move(backward_low)};
    return out;
  }

 private:
  using Components = std::map<double, double>;
  using ExactComponents = std::map<long double, double>;

  // H_α(P‖Q) for α = e^ε: the integral of p − αq where it is positive, rounded up (sign +1) or down. If both are nearly
  // the same, their difference is only a few rounding errors of each.
  static long double one_way(const ExactComponents& p, const ExactComponents& q, double epsilon, int sign) {
    // p − αq = φ(x) Σ c_i e^{m_i x − m_i²/2}.
    std::map<long double, long double> by_mean;
    for (const auto& [mean, weight] : p) by_mean[mean] += weight;
    for (const auto& [mean, weight] : q) by_mean[mean] -= std::exp(static_cast<long double>(epsilon)) * weight;
    const long double middle = (static_cast<long double>(by_mean.begin()->first) + by_mean.rbegin()->first) / 2;
    const long double half_range = (static_cast<long double>(by_mean.rbegin()->first) - by_mean.begin()->first) / 2;
    ExponentialSum sum;
    for (const auto& [mean, weight] : by_mean) {
      const long double offset = mean - middle;
      if (weight != 0) sum.terms.push_back({weight > 0, std::log(std::abs(weight)) - offset * offset / 2, offset});
    }
    if (sum.terms.empty()) return 0;
    const long double reach = half_range + 150;
    std::vector<long double> cuts{-reach};
    for (long double zero : sum.zeros(-reach, reach)) cuts.push_back(zero);
    cuts.push_back(reach);
    long double total = 0;
    for (std::size_t i = 1; i < cuts.size(); ++i) {
      const long double left = cuts[i - 1], right = cuts[i];
      if (sum.at((left + right) / 2) <= 0) continue;
      long double part = 0, error = 0;
      for (const auto& [mean, weight] : by_mean) {
        const long double low = left + middle - mean, high = right + middle - mean;
        part += weight * interval(low, high);
        error +=
            std::abs(weight) * (low > 0 ? tail_error(low) + tail_error(high) : tail_error(-high) + tail_error(-low));
      }
      total += larger(0.0L, part + sign * error);
    }
    return total;
  }

  // The error of a tail: a few units of 64 bits, and a few per unit of its exponent; beyond 3e4 the tail underflows.
  static long double tail_error(long double x) {
    return 0x1p-63L * (4 + (x > 0 ? std::min(x * x, 3e4L) : 0.0L)) * normal_tail(x);
  }
  static long double interval(long double low, long double high) {
    return low > 0 ? normal_tail(low) - normal_tail(high) : normal_tail(-high) - normal_tail(-low);
  }

  // Outside of it each of P and Q has at most `tail` on either side.
  std::pair<double, double> range(double tail) const {
    auto mass_above = [](const Components& mixture, double x, double sign) {
      long double sum = 0;
      for (const auto& [mean, weight] : mixture)
        sum += weight * normal_tail(sign * (static_cast<long double>(x) - mean));
      return sum;
    };
    auto end = [&](double inside, double outside, double sign) {
      for (int i = 0; i < 60; ++i) {
        const double middle = 0.5 * (inside + outside);
        (std::max(mass_above(p_, middle, sign), mass_above(q_, middle, sign)) > tail ? inside : outside) = middle;
      }
      return outside;
    };
    return {end(high_, low_ - 39, -1), end(low_, high_ + 39, +1)};
  }

  // log density and posterior mean of the component at x.
  static std::pair<double, double> look(const Components& mixture, double x) {
    double peak = -std::numeric_limits<double>::infinity();
    for (const auto& [mean, weight] : mixture) peak = std::max(peak, -0.5 * (x - mean) * (x - mean));
    double sum = 0, weighted = 0;
    for (const auto& [mean, weight] : mixture) {
      const double share = weight * std::exp(-0.5 * (x - mean) * (x - mean) - peak);
      sum += share;
      weighted += share * mean;
    }
    return {peak + std::log(sum), weighted / sum};
  }
  struct Edge {
    double x, loss, mean_p, mean_q;
  };
  Edge edge(double x) const {
    const auto [log_p, mean_p] = look(p_, x);
    const auto [log_q, mean_q] = look(q_, x);
    return {x, log_p - log_q, mean_p, mean_q};
  }

  // The masses of a cell whose losses lie on one side of `base`, away from 0. The measure with less mass there is kept
  // times e^|base|, so that it is about as large as the other: by itself it may underflow.
  struct CellMasses {
    double base = 0;
    double raised_p = 0, raised_q = 0;  // p times e^{−base} where base < 0, q times e^{base} where base > 0

    double p() const { return raised_p * std::exp(std::min(0.0, base)); }
    double q() const { return raised_q * std::exp(std::min(0.0, -base)); }
    // q e^{base}, which goes with p(), and p e^{−base}, which goes with q().
    double q_scaled() const { return raised_q * std::exp(std::min(0.0, base)); }
    double p_scaled() const { return raised_p * std::exp(std::min(0.0, -base)); }
  };

  CellMasses integrate(double left, double right, double base) const {
    CellMasses mass{.base = base};
    const double log_p = std::max(0.0, -base), log_q = std::max(0.0, base);
    constexpr double kInvSqrtTwoPi = std::numbers::inv_sqrtpi / std::numbers::sqrt2;
    const double distance = std::max(std::abs(left - low_), std::abs(right - high_));
    const auto pieces = static_cast<int>(std::ceil((right - left) / gauss_width(distance)));
    for (int piece = 0; piece < pieces; ++piece) {
      const double half = 0.5 * (right - left) / pieces, mid = left + (2 * piece + 1) * half;
      for (int i = 0; i < 8; ++i) {
        const double x = i < 4 ? mid - half * kGaussNodes[i] : mid + half * kGaussNodes[i - 4];
        const double weight = half * kGaussWeights[i % 4] * kInvSqrtTwoPi;
        for (const auto& [mean, w] : p_) mass.raised_p += weight * w * std::exp(log_p - 0.5 * (x - mean) * (x - mean));
        for (const auto& [mean, w] : q_) mass.raised_q += weight * w * std::exp(log_q - 0.5 * (x - mean) * (x - mean));
      }
    }
    return mass;
  }

  // A cell with losses in [lowest, highest] is dominated by a two-point pair at grid losses around them with the same
  // P- and Q-mass. In one direction only losses above 0 matter; the other direction sees the same cell mirrored.
  static void spread(PositiveLoss& half, double lowest, double highest, double base, double p, double q) {
    if (highest <= 0) return;
    const double step = half.step;
    const double down = std::floor(lowest / step), up = std::max(std::ceil(highest / step), down + 1);
    // Mass v at up·step and p − v at down·step; q is times e^base, and down·step <= lowest <= base.
    const double below = p - std::exp(down * step - base) * q + 4e-13 * p;
    const double v = std::clamp(below / -std::expm1((down - up) * step), 0.0, p);
    place(half, up, v);
    place(half, down, p - v);
  }
  static void place(PositiveLoss& half, double index, double mass) {
    if (index <= 0) return;
    if (!(index <= static_cast<double>(half.bins()))) {
      half.infinite += mass;
      return;
    }
    const auto i = static_cast<std::size_t>(index) - 1;
    half.p[i] += mass;
    half.q[i] += mass * std::exp(-half.step);
  }
  // Symmetric reading of one half: the mass outside it and its mirror image is at 0.
  static void finish(PositiveLoss& half) {
    double taken = half.infinite;
    for (std::size_t i = 0; i < half.bins(); ++i) taken += half.p[i] + half.q[i] * std::exp(-half.loss(i));
    half.zero = larger(0.0, 1 - taken);
  }

  ExactComponents exact_p_, exact_q_;
  Components p_, q_;
  double low_ = 0, high_ = 0;
};

}  // namespace

MadeLoss Mixture::loss() const {
  // The line is walked in small cells, so its length bounds the work.
  constexpr double kWidest = 1e5;
  const auto [p_low, p_high] = std::minmax_element(p.means.begin(), p.means.end());
  const auto [q_low, q_high] = std::minmax_element(q.means.begin(), q.means.end());
  if (!(std::max(*p_high, *q_high) - std::min(*p_low, *q_low) <= kWidest * noise_multiplier))
    return fail(ErrorKind::cannot_certify, "means", "more than 10^5 noise multipliers apart cannot be priced");
  if (!(std::max(std::abs(*p_low), std::abs(*p_high)) <= 1e9 * noise_multiplier))
    return fail(ErrorKind::cannot_certify, "means", "more than 10^9 noise multipliers from 0 cannot be priced");
  return std::make_unique<MixtureModel>(*this);
}

Result<Event> Mixture::for_replacement() const { return not_convertible(kName); }

Result<double> Mixture::gaussian_distance() const {
  double most = 0;
  for (double one : p.means)
    for (double other : q.means) most = std::max(most, std::abs(one - other));
  return most / noise_multiplier;
}

}  // namespace chronoveil::accounting
