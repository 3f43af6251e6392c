#include "chronoveil/accounting/events/noise/discrete_laplace.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/grid/loss_model.h"

namespace chronoveil::accounting {
namespace {

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
    // With g = d/s − ε and M the number of outputs strictly between the centres whose loss exceeds ε, in closed form:
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

}  // namespace

MadeLoss DiscreteLaplace::loss() const {
  if (sensitivity == 0) return response_model({});
  return std::make_unique<DiscreteLaplaceModel>(scale, sensitivity);
}

Result<Event> DiscreteLaplace::for_replacement() const {
  if (sensitivity > std::numeric_limits<std::int64_t>::max() / 2) return not_convertible(kName);
  return Event{DiscreteLaplace{scale, 2 * sensitivity}};
}

}  // namespace chronoveil::accounting
