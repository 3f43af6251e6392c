#include "chronoveil/accounting/events/noise/laplace.h"

#include <cmath>
#include <limits>

#include "chronoveil/accounting/closed_renyi.h"
#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/gaussian_beside.h"
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

}  // namespace

MadeLoss Laplace::loss() const { return std::make_unique<LaplaceModel>(noise_multiplier); }

Result<Event> Laplace::for_replacement() const { return Event{Laplace{noise_multiplier / 2}}; }

double Laplace::renyi(double order) const { return laplace_renyi(1 / noise_multiplier, order); }

double Laplace::beside_gaussian(double epsilon, double reserve) { return laplace_beside_gaussian(epsilon, reserve); }

}  // namespace chronoveil::accounting
