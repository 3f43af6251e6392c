// Models with a closed form: Laplace, discrete Laplace, bounded range, randomized response.
#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/accounting/grid/loss_model.h"

namespace chronoveil::accounting {
namespace {

// Laplace noise of scale b against a shift of 1, ε = 1/b [DMNS06]: P(loss > l) = 1 − e^{(l−ε)/2}/2 for |l| < ε,
// with an atom of ½ at ε.   Profile   max(0, 1 − e^{(ε'−ε)/2})
class LaplaceModel final : public LossModel {
 public:
  // 1/b is rounded up: losses on a grid must not fall short of it.
  explicit LaplaceModel(double scale)
      : scale_(scale), epsilon_(std::nextafter(1 / scale, std::numeric_limits<double>::infinity())) {}
  long double delta(double epsilon) const override {
    // 1/b − ε with one rounding, so that δ keeps its relative accuracy where ε comes close to 1/b.
    const long double gap =
        std::fma(-static_cast<long double>(epsilon), static_cast<long double>(scale_), 1.0L) / scale_;
    return gap <= 0 ? 0.0L : -std::expm1(-gap / 2);
  }
  bool bounded() const override { return true; }
  double top(double) const override { return epsilon_; }
  Lattice lattice() const override { return {epsilon_, false}; }
  LossHalves halves(double step, std::size_t bins, bool) const override {
    PositiveLoss half = empty_half(step, bins);
    for (std::size_t i = 0; i < bins; ++i) {
      const double low = half.loss(i), high = std::min(half.loss(i + 1), epsilon_);
      if (high <= low) break;
      // dP = ¼ e^{(l−ε)/2} dl, dQ = e^{−l} dP.
      half.p[i] = 0.5 * std::exp((low - epsilon_) / 2) * std::expm1((high - low) / 2);
      half.q[i] = 0.5 * std::exp((low - epsilon_) / 2) * -std::expm1((low - high) / 2);
    }
    half.zero = 0;
    add_atom(half, epsilon_, 0.5);
    LossHalves halves;
    halves.upper = std::move(half);
    return halves;
  }

 private:
  double scale_, epsilon_;
};

// Discrete Laplace of scale s against a shift of d, with a = e^{−1/s}: losses (2x − d)/s at x = 1..d−1, and ±d/s.
class DiscreteLaplaceModel final : public LossModel {
 public:
  DiscreteLaplaceModel(double scale, std::int64_t shift) : scale_(scale), shift_(shift) {}
  Lattice lattice() const override { return {1 / scale_, true}; }
  bool bounded() const override { return true; }
  double top(double) const override {
    return std::nextafter(static_cast<double>(shift_) / scale_, std::numeric_limits<double>::infinity());
  }

  long double delta(double epsilon) const override {
    const long double s = scale_, d = static_cast<long double>(shift_);
    // With g = d/s − ε and M the outputs strictly between the centres whose loss exceeds ε, summed by hand:
    // δ = (1 − e^{M/s − g} + a (1 − e^{−M/s})) / (1 + a), two positive terms.
    const long double steps = std::fma(-static_cast<long double>(epsilon), s, d);  // g × s, rounded once
    if (steps <= 0) return 0;
    const long double between = std::ceil(steps / 2) - 1, a = std::exp(-1 / s);
    return -(std::expm1((between - steps) / s) + a * std::expm1(-between / s)) / (1 + a);
  }

  LossHalves halves(double step, std::size_t bins, bool) const override {
    PositiveLoss half = empty_half(step, bins);
    const long double s = scale_, d = static_cast<long double>(shift_);
    const long double one_minus_a = -std::expm1(-1 / s), one_plus_a = 1 + std::exp(-1 / s);
    // Σ_{x=first}^{last} a^{d−x} (1−a)/(1+a): outputs strictly between the two centres.
    long double last = std::floor(d / 2);  // loss 0 belongs to `zero`
    for (std::size_t i = 0; i < bins; ++i) {
      const long double first = last + 1;
      last = std::min(d - 1, std::floor((static_cast<long double>(half.loss(i + 1)) * s * (1 + 1e-17L) + d) / 2));
      if (last < first) continue;
      const long double count = last - first + 1;
      const long double p = std::exp(-(d - last) / s) * -std::expm1(-count / s) / one_plus_a;
      const long double q = std::exp(-first / s + half.loss(i)) * -std::expm1(-count / s) / one_plus_a;
      half.p[i] = static_cast<double>(p);
      half.q[i] = static_cast<double>(q);
    }
    half.zero = shift_ % 2 == 0 ? static_cast<double>(std::exp(-d / 2 / s) * one_minus_a / one_plus_a) : 0.0;
    add_atom(half, top(0), static_cast<double>(1 / one_plus_a));
    LossHalves halves;
    halves.upper = std::move(half);
    return halves;
  }

 private:
  double scale_;
  std::int64_t shift_;
};

// Bounded range ε: the supremum over its two-point pairs is (√E − √α)²/(E − 1) for 1/E <= α <= E = e^ε
// [DongDurfeeRogers20], a symmetric profile with density ½√E α^{−3/2}/(E−1) under Q.
class ExponentialModel final : public LossModel {
 public:
  explicit ExponentialModel(double epsilon) : epsilon_(epsilon) {}
  bool attainable() const override { return false; }  // the worst pair differs from α to α
  bool bounded() const override { return true; }
  double top(double) const override { return epsilon_; }
  long double delta(double epsilon) const override {
    if (epsilon >= epsilon_) return 0;
    const long double e = epsilon_, gap = -std::expm1((epsilon - e) / 2);  // 1 − √(α/E)
    return gap * gap / -std::expm1(-e);
  }
  LossHalves halves(double step, std::size_t bins, bool) const override {
    PositiveLoss half = empty_half(step, bins);
    const double total = -std::expm1(-epsilon_);
    for (std::size_t i = 0; i < bins; ++i) {
      const double low = half.loss(i), high = std::min(half.loss(i + 1), epsilon_);
      if (high <= low) break;
      half.p[i] = std::exp((low - epsilon_) / 2) * std::expm1((high - low) / 2) / total;
      half.q[i] = std::exp((low - epsilon_) / 2) * -std::expm1((low - high) / 2) / total;
    }
    half.zero = 0;
    LossHalves halves;
    halves.upper = std::move(half);
    return halves;
  }

 private:
  double epsilon_;
};

// Truth with probability e^ε/(e^ε + values − 1); with probability δ everything is shown [KairouzOhViswanath15].
class ResponseModel final : public LossModel {
 public:
  ResponseModel(double epsilon, std::int64_t values, double delta)
      : epsilon_(epsilon), others_(static_cast<double>(values - 1)), delta_(delta) {}
  Lattice lattice() const override { return {epsilon_, true}; }
  bool bounded() const override { return true; }
  double top(double) const override { return epsilon_; }
  double infinite() const override { return delta_; }
  long double delta(double epsilon) const override {
    if (epsilon >= epsilon_) return delta_;
    return delta_ + (1.0L - delta_) * truth() * -std::expm1(static_cast<long double>(epsilon) - epsilon_);
  }
  LossHalves halves(double step, std::size_t bins, bool) const override {
    PositiveLoss half = empty_half(step, bins);
    const double rest = 1 - delta_;
    half.infinite = delta_;
    half.zero = rest;
    if (epsilon_ > 0) {
      half.zero = rest * static_cast<double>(truth() * std::exp(-static_cast<long double>(epsilon_))) * (others_ - 1);
      add_atom(half, epsilon_, rest * static_cast<double>(truth()));
    }
    LossHalves halves;
    halves.upper = std::move(half);
    return halves;
  }

 private:
  long double truth() const { return 1 / (1 + others_ * std::exp(-static_cast<long double>(epsilon_))); }
  double epsilon_, others_, delta_;
};

}  // namespace

PositiveLoss empty_half(double step, std::size_t bins) {
  return {.step = step, .p = std::vector<double>(bins), .q = std::vector<double>(bins)};
}

void add_atom(PositiveLoss& half, double loss, double mass) {
  const double bin = bins_up_to(loss, half.step) - 1;
  if (half.bins() > 0 && bin < static_cast<double>(half.bins())) {
    const auto i = static_cast<std::size_t>(std::max(0.0, bin));
    half.p[i] += mass;
    half.q[i] += mass * std::exp(-std::clamp(loss - half.loss(i), 0.0, half.step));
  } else {
    half.beyond_p += mass;
    half.beyond_q += mass * std::exp(half.loss(half.bins()) - loss);
  }
}

std::unique_ptr<const LossModel> laplace_model(double scale) { return std::make_unique<LaplaceModel>(scale); }
std::unique_ptr<const LossModel> discrete_laplace_model(double scale, std::int64_t sensitivity) {
  return std::make_unique<DiscreteLaplaceModel>(scale, sensitivity);
}
std::unique_ptr<const LossModel> exponential_model(double epsilon) {
  return std::make_unique<ExponentialModel>(epsilon);
}
std::unique_ptr<const LossModel> response_model(double epsilon, std::int64_t values, double delta) {
  return std::make_unique<ResponseModel>(epsilon, values, delta);
}

}  // namespace chronoveil::accounting
