#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <utility>

#include "chronoveil/accounting/loss_model.h"
#include "chronoveil/accounting/staswitch.h"
#include "chronoveil/accounting/staswitch_game.h"

namespace chronoveil::accounting {
namespace {

constexpr std::int64_t kLargestFollowedWindow = 8;
constexpr std::int64_t kLargestGameWindow = 10;

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
    const auto profile = quick_profile();
    std::vector<long double> values(2 * bins + 1);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::min(1.0L, profile(step / 2 * static_cast<double>(i)) * (1 + kProfileError));
    LossHalves halves;
    halves.upper = paired(from_profile(step / 2, values));
    return halves;
  }

 protected:
  const std::vector<PairLoss>& attained() const { return attained_; }
  // delta(), or a bound on it that can be asked many times.
  virtual std::function<long double(double)> quick_profile() const {
    return [this](double epsilon) { return delta(epsilon); };
  }

 private:
  std::vector<PairLoss> attained_;
};

class CoveredModel final : public StaSwitchModel {
 public:
  explicit CoveredModel(CoveredSwitch&& covered)
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
    // No finite ratio exceeds 1/q where the values meet times 1/p where the last of the two leaves.
    const long double straight = std::max(-std::log(q) - std::log(p), std::log(q) - 2 * std::log(p));
    top_ = std::nextafter(static_cast<double>(straight), std::numeric_limits<double>::infinity());
  }
  long double delta(double epsilon) const override {
    return plays() ? std::min(closed_form(epsilon), game(epsilon)) : closed_form(epsilon);
  }
  double top(double) const override { return top_; }
  bool tight() const override { return false; }

 protected:
  // A profile is convex in α, so straight lines between points of it are above it.
  std::function<long double(double)> quick_profile() const override {
    if (!plays()) return StaSwitchModel::quick_profile();
    std::call_once(played_, [this] {
      for (int i = 0; i <= kPieces; ++i) values_.push_back(game(top_ * i / kPieces));
    });
    return [this](double epsilon) {
      const double place = std::min(epsilon / top_, 1.0) * kPieces;
      const auto piece = static_cast<std::size_t>(std::min(std::floor(place), kPieces - 1.0));
      const long double low = std::exp(static_cast<long double>(top_) * static_cast<long double>(piece) / kPieces);
      const long double high = std::exp(static_cast<long double>(top_) * static_cast<long double>(piece + 1) / kPieces);
      const long double alpha = std::clamp(std::exp(static_cast<long double>(epsilon)), low, high);
      const long double chord = ((high - alpha) * values_[piece] + (alpha - low) * values_[piece + 1]) / (high - low);
      return std::min(closed_form(epsilon), chord);
    };
  }

 private:
  bool plays() const { return event_.window <= kLargestGameWindow; }
  long double closed_form(double epsilon) const {
    return staswitch_upper_bound(event_.window, event_.stay, std::exp(static_cast<long double>(epsilon)));
  }
  long double game(double epsilon) const {
    return staswitch_game(staswitch_law(event_.window, event_.stay), std::exp(static_cast<long double>(epsilon)));
  }

  static constexpr int kPieces = 24;

  StaSwitch event_;
  double top_;
  mutable std::once_flag played_;
  mutable std::vector<long double> values_;  // of the game at ε = i top_ / kPieces
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
