#include "chronoveil/accounting/events/moves/staswitch.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/grid/loss_model.h"
#include "chronoveil/accounting/moments.h"
#include "chronoveil/accounting/moves/staswitch_bounds.h"
#include "chronoveil/accounting/moves/staswitch_game.h"
#include "chronoveil/accounting/moves/staswitch_graph.h"
#include "chronoveil/accounting/moves/staswitch_simulation.h"

namespace chronoveil::accounting {
namespace {

// Profiles for compositions need many points: up to this window they come from worst_swap().
constexpr std::int64_t kLargestExactProfile = 8;

long double exp_of(double epsilon) { return std::exp(static_cast<long double>(epsilon)); }

// One use of StaSwitch in a wide window: the measured bound where it is lower than the certain one.
class MeasuredSwitch final : public LossModel {
 public:
  MeasuredSwitch(const StaSwitch& event, const LossModel& certain)
      : window_(static_cast<int>(event.window)), stay_(event.stay), certain_(certain) {}

  long double delta(double epsilon) const override { return std::min(certain_.delta(epsilon), measured(epsilon)); }
  double beta(double epsilon) const override {
    return measured(epsilon) < certain_.delta(epsilon) ? kSimulationBeta : 0;
  }
  double infinite() const override { return static_cast<double>(delta(top(0))); }
  long double delta_lower(double epsilon) const override { return certain_.delta_lower(epsilon); }
  double infinite_lower() const override { return certain_.infinite_lower(); }
  double top(double tail) const override { return certain_.top(tail); }
  bool bounded() const override { return certain_.bounded(); }
  bool tight() const override { return false; }
  LossHalves halves(double step, std::size_t bins, bool attained) const override {
    return certain_.halves(step, bins, attained);
  }
  long double guess(double epsilon) const {
    const long double certain = certain_.delta(epsilon);
    return worth_measuring(epsilon) ? std::min<long double>(certain, guess_simulated(window_, stay_, epsilon))
                                    : certain;
  }

 private:
  // Whether measuring could give a lower bound, even if it showed no more than is known to be attained.
  bool worth_measuring(double epsilon) const {
    return simulated_at_best(window_, static_cast<double>(delta_lower(epsilon))) < certain_.delta(epsilon);
  }
  long double measured(double epsilon) const {
    if (!worth_measuring(epsilon)) return 1;
    std::call_once(once_, [this] { profile_ = simulated_staswitch(window_, stay_); });
    return profile_->delta(epsilon);
  }

  int window_;
  double stay_;
  const LossModel& certain_;
  mutable std::once_flag once_;
  mutable std::shared_ptr<const SimulatedProfile> profile_;
};

class StaSwitchModel final : public LossModel {
 public:
  explicit StaSwitchModel(const StaSwitch& event) : event_(event) {
    const long double p = event.stay, q = (1 - p) / static_cast<long double>(event.window - 1);
    // No finite ratio exceeds 1/q where the values meet times 1/p where the last of the two leaves.
    const long double straight = std::max(-std::log(q) - std::log(p), std::log(q) - 2 * std::log(p));
    highest_ = std::nextafter(static_cast<double>(straight), std::numeric_limits<double>::infinity());
    if (!followed() && event.window <= kLargestSimulatedWindow) measured_.emplace(event, *this);
  }

  long double delta(double epsilon) const override {
    return followed() ? static_cast<long double>(at(epsilon).upper) : closed_form(epsilon);
  }
  long double delta_lower(double epsilon) const override {
    return followed() ? static_cast<long double>(at(epsilon).lower) : attained().delta(exp_of(epsilon));
  }
  std::optional<long double> quick_delta(double epsilon) const override {
    if (!followed()) return std::nullopt;
    return attained().delta(exp_of(epsilon));
  }
  const LossModel& once() const override { return measured_ ? static_cast<const LossModel&>(*measured_) : *this; }
  std::optional<long double> guessed_delta(double epsilon) const override {
    return measured_ ? measured_->guess(epsilon) : quick_delta(epsilon);
  }
  double infinite() const override { return static_cast<double>(delta(highest_)); }
  double infinite_lower() const override { return static_cast<double>(delta_lower(highest_)); }
  double top(double) const override { return covered() ? covered()->top : highest_; }
  bool bounded() const override { return true; }
  bool tight() const override { return false; }
  bool tight_at(double epsilon) const override {
    return followed() && at(epsilon).upper - at(epsilon).lower <= kAttainedGap;
  }
  bool attainable() const override { return false; }  // the worst swap differs from ε to ε

  // The profile is known at points only: cut twice as finely as asked, then paired.
  LossHalves halves(double step, std::size_t bins, bool) const override {
    const auto profile = quick_profile();
    std::vector<long double> values(2 * bins + 1);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = std::min(1.0L, profile(step / 2 * static_cast<double>(i)) * (1 + kProfileError));
    // No finite loss is above the top: beyond it the profile is constant.
    const double reach = step * static_cast<double>(bins);
    const double infinite = reach >= top(0) * (1 - kOnGrid) ? static_cast<double>(values.back()) : 0.0;
    LossHalves halves;
    halves.upper = paired(from_profile(step / 2, values, infinite));
    return halves;
  }

 private:
  struct Covered {
    std::vector<PairLoss> losses;
    double top = 0;
  };
  struct Knot {
    long double alpha, delta;
  };

  bool followed() const { return event_.window <= kLargestFollowedWindow; }

  SwapValue at(double epsilon) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [it, added] = known_.try_emplace(epsilon);
    if (added) it->second = worst_swap(event_.window, event_.stay, std::exp(epsilon));
    return it->second;
  }
  const PairLoss& attained() const {
    std::call_once(attained_once_, [this] {
      attained_ =
          followed() ? attained_swap(event_.window, event_.stay) : staswitch_attained(event_.window, event_.stay);
    });
    return attained_;
  }
  const std::optional<Covered>& covered() const {
    std::call_once(covered_once_, [this] {
      if (event_.window > kLargestCoveredWindow) return;
      CoveredSwitch all = covered_staswitch(event_.window, event_.stay);
      Covered covered{std::move(all.attained), 0};
      for (PairLoss& loss : all.beyond) covered.losses.push_back(std::move(loss));
      long double ratio = 1;
      for (const PairLoss& loss : covered.losses) ratio = std::max(ratio, loss.largest_ratio());
      covered.top = std::nextafter(static_cast<double>(std::log(ratio)), std::numeric_limits<double>::infinity());
      covered_ = std::move(covered);
    });
    return covered_;
  }

  long double closed_form(double epsilon) const {
    return staswitch_upper_bound(event_.window, event_.stay, exp_of(epsilon));
  }

  // δ, or a bound on it that is quick to compute.
  std::function<long double(double)> quick_profile() const {
    if (covered())
      return [this](double epsilon) {
        long double largest = 0;
        for (const PairLoss& loss : covered()->losses) largest = std::max(largest, loss.delta(exp_of(epsilon)));
        return largest;
      };
    std::call_once(knots_once_, [this] { find_knots(); });
    return [this](double epsilon) {
      const long double alpha = exp_of(epsilon);
      const auto right = std::upper_bound(knots_.begin(), knots_.end(), alpha,
                                          [](long double wanted, const Knot& knot) { return wanted < knot.alpha; });
      if (right == knots_.end()) return knots_.back().delta;
      if (right == knots_.begin()) return knots_.front().delta;
      const Knot &low = *std::prev(right), &high = *right;
      return ((high.alpha - alpha) * low.delta + (alpha - low.alpha) * high.delta) / (high.alpha - low.alpha);
    };
  }

  // A profile is convex in α, so straight lines between points of it are above it; it bends where the attained one has
  // an atom, and between those both are straight. The closed form of each distance bends at p/q, q/p² and 1/q, and
  // which of them is the largest may change in between.
  void find_knots() const {
    constexpr std::size_t kMost = 64;
    std::vector<double> places{0, highest_};
    if (followed()) {
      for (const PairLoss::Atom& atom : attained().atoms)
        places.push_back(static_cast<double>(std::log(atom.p / atom.q)));
    } else {
      const double p = std::log(event_.stay), q = std::log((1 - event_.stay) / static_cast<double>(event_.window - 1));
      for (const double bend : {p - q, q - 2 * p, -q})
        if (bend > 0) places.push_back(bend);
      for (std::size_t i = 1; i + 8 < kMost; ++i)
        places.push_back(highest_ * static_cast<double>(i) / static_cast<double>(kMost - 8));
    }
    std::sort(places.begin(), places.end());
    places.erase(std::unique(places.begin(), places.end(), [](double one, double other) { return other - one < 1e-9; }),
                 places.end());
    const std::size_t stride = (places.size() + kMost - 1) / kMost;
    for (std::size_t i = 0; i < places.size(); ++i)
      if (i % stride == 0 || i + 1 == places.size()) knots_.push_back({exp_of(places[i]), bound(places[i])});
  }
  long double bound(double epsilon) const {
    if (!followed()) return closed_form(epsilon);
    if (event_.window <= kLargestExactProfile) return delta(epsilon);
    const long double game = staswitch_game(staswitch_law(event_.window, event_.stay), exp_of(epsilon));
    return std::min(closed_form(epsilon), game);
  }

  StaSwitch event_;
  double highest_;
  std::optional<MeasuredSwitch> measured_;
  mutable std::mutex mutex_;
  mutable std::map<double, SwapValue> known_;  // by ε
  mutable std::once_flag attained_once_, covered_once_, knots_once_;
  mutable PairLoss attained_;
  mutable std::optional<Covered> covered_;
  mutable std::vector<Knot> knots_;
};

}  // namespace

double largest_beta(const Event& event) {
  if (const auto* several = std::get_if<Compose>(&event.kind)) {
    double sum = 0;
    for (const Event& one : several->events) sum += largest_beta(one);
    return sum;
  }
  const auto* alone = std::get_if<StaSwitch>(&event.kind);
  const bool measured = alone != nullptr && event.count == 1 && alone->window > kLargestFollowedWindow &&
                        alone->window <= kLargestSimulatedWindow;
  return measured ? kMostCompared * kSimulationBeta : 0;
}

bool takes_long_to_measure(const Event& event) {
  constexpr std::int64_t kWide = 40;  // some 5 s on two cores, see simulation_plan()
  const auto* alone = std::get_if<StaSwitch>(&event.kind);
  return alone != nullptr && alone->window > kWide && largest_beta({*alone, 1}) > 0;
}

MadeLoss StaSwitch::loss() const { return std::make_unique<StaSwitchModel>(*this); }

Result<Event> StaSwitch::for_replacement() const { return not_convertible(kName); }

Result<ZcdpCost> StaSwitch::zcdp(double count) const { return zcdp_of_losses(StaSwitchModel(*this), kName, count); }

}  // namespace chronoveil::accounting
