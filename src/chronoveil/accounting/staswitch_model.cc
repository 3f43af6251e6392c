#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "chronoveil/accounting/loss_model.h"
#include "chronoveil/accounting/staswitch.h"

namespace chronoveil::accounting {
namespace {

constexpr std::int64_t kLargestFollowedWindow = 8;

long double largest_of(const std::vector<PairLoss>& losses, double epsilon) {
  const long double alpha = std::exp(static_cast<long double>(epsilon));
  long double largest = 0;
  for (const PairLoss& loss : losses) largest = std::max(largest, loss.delta(alpha));
  return largest;
}

// An upper bound, and what real neighbours attain.
class StaSwitchModel : public LossModel {
 public:
  explicit StaSwitchModel(std::vector<PairLoss> attained) : attained_(std::move(attained)) {}
  long double delta_lower(double epsilon) const override { return largest_of(attained_, epsilon); }
  bool bounded() const override { return true; }
  bool attainable() const override { return false; }  // the worst swap differs from ε to ε
  double infinite() const override { return static_cast<double>(delta(top(0))); }
  double infinite_lower() const override { return static_cast<double>(delta_lower(top(0))); }

  // The profile is known point by point: cut twice as finely as asked, then paired.
  LossHalves halves(double step, std::size_t bins, bool) const override {
    std::vector<long double> values(2 * bins + 1);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::min(1.0L, delta(step / 2 * static_cast<double>(i)) * (1 + kProfileError));
    LossHalves halves;
    halves.upper = paired(from_profile(step / 2, values));
    return halves;
  }

 protected:
  const std::vector<PairLoss>& attained() const { return attained_; }

 private:
  std::vector<PairLoss> attained_;
};

class CoveredModel final : public StaSwitchModel {
 public:
  explicit CoveredModel(CoveredSwitch covered)
      : StaSwitchModel(std::move(covered.attained)), beyond_(std::move(covered.beyond)) {
    long double ratio = 1;
    for (const auto* losses : {&attained(), &std::as_const(beyond_)})
      for (const PairLoss& loss : *losses) ratio = std::max(ratio, loss.largest_ratio());
    top_ = std::nextafter(static_cast<double>(std::log(ratio)), std::numeric_limits<double>::infinity());
  }
  long double delta(double epsilon) const override {
    return std::max(delta_lower(epsilon), largest_of(beyond_, epsilon));
  }
  double top(double) const override { return top_; }
  bool tight() const override { return beyond_.empty(); }

 private:
  std::vector<PairLoss> beyond_;
  double top_;
};

class BoundedModel final : public StaSwitchModel {
 public:
  BoundedModel(const StaSwitch& event, std::vector<PairLoss> attained)
      : StaSwitchModel(std::move(attained)), event_(event) {
    const long double p = event.stay, q = (1 - p) / static_cast<long double>(event.window - 1);
    const long double straight = std::max(-std::log(q), std::log(q) - 2 * std::log(p));
    top_ = std::nextafter(static_cast<double>(straight), std::numeric_limits<double>::infinity());
  }
  long double delta(double epsilon) const override {
    return staswitch_upper_bound(event_.window, event_.stay, std::exp(static_cast<long double>(epsilon)));
  }
  double top(double) const override { return top_; }
  bool tight() const override { return false; }

 private:
  StaSwitch event_;
  double top_;
};

}  // namespace

Result<std::unique_ptr<const LossModel>> staswitch_model(const StaSwitch& event) {
  if (event.window <= kLargestCoveredWindow)
    return std::make_unique<CoveredModel>(covered_staswitch(event.window, event.stay));
  const auto k = static_cast<int>(event.window);
  std::vector<PairLoss> attained;
  if (event.window <= kLargestFollowedWindow)
    attained.push_back(
        loss_from(swapped_pair(k - 1, k - 1, PairState::kNoEnd), staswitch_law(event.window, event.stay)));
  else
    attained.push_back(staswitch_attained(event.window, event.stay));
  return std::make_unique<BoundedModel>(event, std::move(attained));
}

}  // namespace chronoveil::accounting
