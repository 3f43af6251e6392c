#include "chronoveil/accounting/events/stated/exponential.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/accounting/closed_renyi.h"
#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/grid/loss_model.h"
#include "chronoveil/accounting/moments.h"

namespace chronoveil::accounting {
namespace {

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

}  // namespace

MadeLoss Exponential::loss() const {
  if (!(epsilon > 0)) return response_model({});
  return std::make_unique<ExponentialModel>(epsilon);
}

// A bounded range is a statement about two neighbours; over two steps the ranges add.
Result<Event> Exponential::for_replacement() const { return Event{Exponential{2 * epsilon}}; }

double Exponential::renyi_at_most(double order) const { return order * squared(epsilon) / 8; }
Result<ZcdpCost> Exponential::zcdp(double count) const {
  return ZcdpCost{count * squared(epsilon) / 8 * kRoundedUp, 0};
}

}  // namespace chronoveil::accounting
