#include "chronoveil/accounting/staswitch_simulation.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <list>
#include <mutex>

#include "chronoveil/accounting/clopper_pearson.h"
#include "chronoveil/accounting/staswitch.h"

namespace chronoveil::accounting {
namespace {

// The bound lies so many widths of the first place's limit above its estimate, and this share of it at least: the
// others need fewer runs then.
constexpr double kSlack = 2.5;
constexpr double kLeastSlack = 0.015;
// By how much the law of the draws may be off, generously.
constexpr double kDrawing = 1e-11;

double uniform(BitSource& bits) { return std::ldexp(static_cast<double>(bits.next_u64() >> 11), -53); }

// Fewer starts than this are simulated one by one, and those of so many steps and more as one.
int longest_start(int window) { return 4 * (window - 1); }

// All limits that could be looked at: a set of starts is a node of a binary tree.
double level_of(int window, const SimulationPlan& plan) {
  const double sets = 2.0 * (longest_start(window) + 1) * (window - 1), ends = 4.0 * (window - 1);
  return plan.beta / ((sets * static_cast<double>(plan.runs.size()) + 1) * ends * EpsilonGrid::kSize);
}

double with_slack(double successes, std::int64_t runs, double level) {
  const double share = successes / static_cast<double>(runs);
  const double limit = upper_limit(static_cast<std::int64_t>(std::ceil(successes)), runs, level);
  return std::min(1.0, share + std::max(kSlack * (limit - share), kLeastSlack * share));
}

SwapPlace first_place(int window) { return {window - 1, window - 1, window - 1, false}; }

std::uint64_t seed_of(int window, double stay) {
  return std::bit_cast<std::uint64_t>(stay) ^ (static_cast<std::uint64_t>(window) * 0x9E3779B97F4A7C15u);
}

class Simulation {
 public:
  Simulation(int window, double stay, const SimulationPlan& plan)
      : window_(window),
        stay_(stay),
        plan_(plan),
        level_(level_of(window, plan)),
        grid_(window, stay),
        path_(window, stay),
        bits_(BitSource::with_seed(seed_of(window, stay))),
        allowed_(plan.runs.size(), std::vector<std::int64_t>(EpsilonGrid::kSize)) {}

  SimulatedProfile profile() {
    SwapCounts first(path_, first_place(window_), grid_);
    first.run(plan_.first_runs, bits_);
    runs_ += plan_.first_runs;
    for (const std::int64_t successes : first.most())
      bound_.push_back(with_slack(static_cast<double>(successes), plan_.first_runs, level_));
    for (std::size_t i = 0; i < EpsilonGrid::kSize; ++i) allow(i);
    for (int distance = window_ - 1; distance > 0; --distance) {
      look_at(distance);
      if (std::find(looked_at_.begin(), looked_at_.end(), true) != looked_at_.end())
        cover({distance, 0, longest_start(window_), true});
    }
    SimulatedProfile found{grid_.step(), {}, runs_};
    for (const double delta : bound_) found.deltas.push_back(std::min(1.0, delta + kDrawing));
    return found;
  }

 private:
  // How many successes leave a limit within the bound, for each number of runs.
  void allow(std::size_t i) {
    for (std::size_t stage = 0; stage < plan_.runs.size(); ++stage)
      allowed_[stage][i] = most_successes_below(bound_[i], plan_.runs[stage], level_);
  }

  // The points at which the closed form alone does not do.
  void look_at(int distance) {
    looked_at_.assign(EpsilonGrid::kSize, false);
    for (std::size_t i = 0; i < EpsilonGrid::kSize; ++i) {
      const long double alpha = std::exp(static_cast<long double>(grid_.at(i)));
      looked_at_[i] = staswitch_upper_bound(window_, stay_, distance, alpha) * (1 + 1e-12L) > bound_[i];
    }
  }

  bool within(const std::vector<std::int64_t>& successes, std::size_t stage) const {
    for (std::size_t i = 0; i < successes.size(); ++i)
      if (looked_at_[i] && successes[i] > allowed_[stage][i]) return false;
    return true;
  }
  // Whether all runs that can be had are unlikely to help.
  bool hopeless(const std::vector<std::int64_t>& successes, std::int64_t runs) const {
    constexpr double kDeviations = 3;
    const auto n = static_cast<double>(runs), last = static_cast<double>(plan_.runs.back());
    for (std::size_t i = 0; i < successes.size(); ++i) {
      const double share = static_cast<double>(successes[i]) / n;
      const double low = share - kDeviations * std::sqrt(share * (1 - share) / n);
      if (looked_at_[i] && low * last > static_cast<double>(allowed_.back()[i])) return true;
    }
    return false;
  }

  // Shows that these starts are within the bound, by halves if need be, or raises it.
  void cover(const SwapPlace& place) {
    const bool one = place.fewest == place.most;
    SwapCounts counts(path_, place, grid_);
    std::vector<std::int64_t> most;
    for (std::size_t stage = 0; stage < plan_.runs.size(); ++stage) {
      runs_ += plan_.runs[stage] - counts.runs();
      counts.run(plan_.runs[stage] - counts.runs(), bits_);
      most = counts.most();
      if (within(most, stage)) return;
      if (!one && hopeless(most, counts.runs())) break;
    }
    if (one) return raise(most, counts.runs());
    SwapPlace early = place, late = place;
    early.fewest = (place.fewest + place.most + 1) / 2;
    late.most = early.fewest - 1;
    late.or_more = false;
    cover(early);
    cover(late);
  }

  void raise(const std::vector<std::int64_t>& successes, std::int64_t runs) {
    for (std::size_t i = 0; i < successes.size(); ++i) {
      if (!looked_at_[i] || successes[i] <= allowed_.back()[i]) continue;
      bound_[i] = upper_limit(successes[i], runs, level_);
      allow(i);
    }
  }

  int window_;
  double stay_;
  SimulationPlan plan_;
  double level_;
  EpsilonGrid grid_;
  StaSwitchPath path_;
  BitSource bits_;
  std::int64_t runs_ = 0;
  std::vector<double> bound_;                       // by points of the grid, as all below
  std::vector<std::vector<std::int64_t>> allowed_;  // by stages
  std::vector<bool> looked_at_;
};

}  // namespace

EpsilonGrid::EpsilonGrid(int window, double stay) {
  // No finite ratio exceeds 1/q where the values meet times 1/p where the last of the two leaves.
  const double q = (1 - stay) / (window - 1);
  const double largest = std::max(-std::log(q) - std::log(stay), std::log(q) - 2 * std::log(stay));
  step_ = (largest + 1e-9) / static_cast<double>(kSize - 1);
}

std::size_t EpsilonGrid::below(double epsilon) const {
  constexpr double kRounding = 1e-12;
  if (!(epsilon > -kRounding)) return 0;
  return std::min(kSize, 1 + static_cast<std::size_t>(std::min((epsilon + kRounding) / step_, 1.0 * kSize)));
}

SwapCounts::SwapCounts(StaSwitchPath& path, const SwapPlace& place, const EpsilonGrid& grid)
    : path_(path), place_(place), grid_(grid), first_end_(path.first_end(place)) {
  const std::vector<std::int64_t> none(EpsilonGrid::kSize + 1, 0);
  own_.assign(static_cast<std::size_t>(path.last_end() - first_end_ + 1), none);
  onwards_ = own_;
}

std::size_t SwapCounts::fallen_to(double ratio, double uniform) const {
  if (std::isinf(ratio)) return EpsilonGrid::kSize;
  return ratio > 1 ? grid_.below(std::log(ratio * (1 - uniform))) : 0;
}

void SwapCounts::run(std::int64_t times, BitSource& bits) {
  for (std::int64_t i = 0; i < times; ++i) {
    path_.run(place_, bits, ratios_);
    const double drawn = uniform(bits);
    for (std::size_t end = 0; end < ratios_.own.size(); ++end) ++own_[end][fallen_to(ratios_.own[end], drawn)];
    ++onwards_[ratios_.own.size()][fallen_to(ratios_.endless, drawn)];
  }
  runs_ += times;
}

std::vector<std::vector<std::int64_t>> SwapCounts::by_end() const {
  std::vector<std::vector<std::int64_t>> all;
  std::vector<std::int64_t> from_before(EpsilonGrid::kSize + 1, 0);
  for (std::size_t end = 0; end < own_.size(); ++end) {
    std::vector<std::int64_t> coins(EpsilonGrid::kSize);
    std::int64_t sum = 0;
    for (std::size_t i = EpsilonGrid::kSize; i > 0; --i) {
      from_before[i] += onwards_[end][i];
      sum += own_[end][i] + from_before[i];
      coins[i - 1] = sum;
    }
    all.push_back(std::move(coins));
  }
  return all;
}

std::vector<std::int64_t> SwapCounts::most() const {
  std::vector<std::int64_t> most(EpsilonGrid::kSize, 0);
  for (const std::vector<std::int64_t>& coins : by_end())
    for (std::size_t i = 0; i < most.size(); ++i) most[i] = std::max(most[i], coins[i]);
  return most;
}

// Time grows with the third power of the window or so: a run has more steps and more ends, and there are more places.
SimulationPlan simulation_plan(int window) {
  if (window <= 20) return {kSimulationBeta, 1 << 19, {1 << 12, 1 << 14, 1 << 16, 1 << 17}};
  return {kSimulationBeta, 1 << 16, {1 << 11, 1 << 12, 1 << 13, 1 << 14}};
}

double SimulatedProfile::delta(double epsilon) const {
  const double place = epsilon / step;
  if (!(place < static_cast<double>(deltas.size() - 1))) return deltas.back();
  const auto low = static_cast<std::size_t>(place);
  const double from = step * static_cast<double>(low);
  const double share = std::clamp(std::expm1(epsilon - from) / std::expm1(step), 0.0, 1.0);
  return deltas[low] * (1 - share) + deltas[low + 1] * share;
}

SimulatedProfile simulate_staswitch(int window, double stay, const SimulationPlan& plan) {
  return Simulation(window, stay, plan).profile();
}

std::shared_ptr<const SimulatedProfile> simulated_staswitch(int window, double stay) {
  struct Known {
    int window;
    double stay;
    std::shared_ptr<const SimulatedProfile> profile;
  };
  static std::mutex mutex;
  static std::list<Known> known;
  constexpr std::size_t kKept = 16;
  const std::lock_guard<std::mutex> lock(mutex);
  for (const Known& one : known)
    if (one.window == window && one.stay == stay) return one.profile;
  known.push_front(
      {window, stay,
       std::make_shared<const SimulatedProfile>(simulate_staswitch(window, stay, simulation_plan(window)))});
  if (known.size() > kKept) known.pop_back();
  return known.front().profile;
}

double simulated_at_best(int window, double delta) {
  const SimulationPlan plan = simulation_plan(window);
  return with_slack(delta * static_cast<double>(plan.first_runs), plan.first_runs, level_of(window, plan));
}

double guess_simulated(int window, double stay, double epsilon) {
  constexpr int kRuns = 1 << 15;
  // The same draws for every p: what is searched for moves smoothly with it.
  BitSource bits = BitSource::with_seed(static_cast<std::uint64_t>(window));
  StaSwitchPath path(window, stay);
  const double alpha = std::exp(epsilon);
  double sum = 0, squares = 0;
  for (int i = 0; i < kRuns; ++i) {
    const double value = std::max(0.0, 1 - alpha / path.run_endless(first_place(window), bits));
    sum += value;
    squares += value * value;
  }
  // A deviation more than was seen: a price that turns out higher than its guess has to be looked for again.
  const double mean = sum / kRuns, deviation = std::sqrt(std::max(0.0, squares / kRuns - mean * mean) / kRuns);
  return simulated_at_best(window, std::min(1.0, mean + deviation));
}

}  // namespace chronoveil::accounting
