#include "chronoveil/accounting/moves/staswitch_simulation.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "chronoveil/accounting/moves/clopper_pearson.h"
#include "chronoveil/accounting/moves/staswitch_bounds.h"
#include "chronoveil/base/interrupted.h"
#include "chronoveil/base/system/workers.h"

namespace chronoveil::accounting {
namespace {

// The bound lies this many widths of the first place's limit above its estimate, and at least this share of it: the
// others then need fewer runs.
constexpr double kSlack = 2.5;
constexpr double kLeastSlack = 0.015;
// By how much the law of the draws may be off, generously.
constexpr double kDrawing = 1e-11;

double uniform(BitSource& bits) { return std::ldexp(static_cast<double>(bits.next_u64() >> 11), -53); }

// Starts with fewer steps than this are simulated one by one, all others as one.
int longest_start(int window) { return 4 * (window - 1); }

// β over the number of limits that could be looked at: a set of starts is a node of a binary tree.
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

// Distance 0 is the first place.
std::uint64_t seed_of(int window, double stay, int distance) {
  const auto place = static_cast<std::uint64_t>(256 * window + distance);
  return std::bit_cast<std::uint64_t>(stay) ^ (place * 0x9E3779B97F4A7C15u);
}

// By points of the grid.
using Deltas = std::vector<double>;

// The bound for all sets of starts of one distance. Each distance has its own draws and starts from the bound of the
// first place, so that distances can be handled in any order and in parallel.
class DistanceCover {
 public:
  DistanceCover(int window, double stay, int distance, const SimulationPlan& plan, Deltas bound)
      : plan_(plan),
        level_(level_of(window, plan)),
        grid_(window, stay),
        path_(window, stay),
        bits_(BitSource::with_seed(seed_of(window, stay, distance))),
        bound_(std::move(bound)),
        allowed_(plan.runs.size(), std::vector<std::int64_t>(EpsilonGrid::kSize)),
        looked_at_(EpsilonGrid::kSize) {
    for (std::size_t i = 0; i < EpsilonGrid::kSize; ++i) {
      // Elsewhere the closed form is enough.
      const long double alpha = std::exp(static_cast<long double>(grid_.at(i)));
      looked_at_[i] = staswitch_upper_bound(window, stay, distance, alpha) * (1 + 1e-12L) > bound_[i];
      allow(i);
    }
    if (std::find(looked_at_.begin(), looked_at_.end(), true) != looked_at_.end())
      cover({distance, 0, longest_start(window), true});
  }
  const Deltas& bound() const { return bound_; }
  std::int64_t runs() const { return runs_; }

 private:
  // How many successes leave a limit within the bound, for each number of runs.
  void allow(std::size_t i) {
    for (std::size_t stage = 0; stage < plan_.runs.size(); ++stage)
      allowed_[stage][i] = most_successes_below(bound_[i], plan_.runs[stage], level_);
  }

  bool within(const std::vector<std::int64_t>& successes, std::size_t stage) const {
    for (std::size_t i = 0; i < successes.size(); ++i)
      if (looked_at_[i] && successes[i] > allowed_[stage][i]) return false;
    return true;
  }
  // Whether even all further runs are unlikely to help.
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
    if (interrupted()) return;
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

  const SimulationPlan& plan_;
  double level_;
  EpsilonGrid grid_;
  StaSwitchPath path_;
  BitSource bits_;
  std::int64_t runs_ = 0;
  Deltas bound_;
  std::vector<std::vector<std::int64_t>> allowed_;  // by stages, and by points like those below
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
  changes_.assign(static_cast<std::size_t>(path.last_end() - first_end_ + 2), none);
}

std::size_t SwapCounts::fallen_to(double ratio, double uniform) const {
  if (std::isinf(ratio)) return EpsilonGrid::kSize;
  return ratio > 1 ? grid_.below(std::log(ratio * (1 - uniform))) : 0;
}

void SwapCounts::run(std::int64_t times, BitSource& bits) {
  for (std::int64_t i = 0; i < times && !interrupted(); ++i) {
    path_.run(place_, bits, ratios_);
    const double drawn = uniform(bits);
    for (const StaSwitchPath::EndsRatio& ends : ratios_) {
      const std::size_t points = fallen_to(ends.ratio, drawn);
      ++change(ends.first)[points];
      --change(ends.last + 1)[points];
    }
  }
  runs_ += times;
}

std::vector<std::vector<std::int64_t>> SwapCounts::by_end() const {
  std::vector<std::vector<std::int64_t>> all;
  std::vector<std::int64_t> runs(EpsilonGrid::kSize + 1, 0);
  for (std::size_t end = 0; end + 1 < changes_.size(); ++end) {
    std::vector<std::int64_t> coins(EpsilonGrid::kSize);
    std::int64_t sum = 0;
    for (std::size_t i = EpsilonGrid::kSize; i > 0; --i) {
      runs[i] += changes_[end][i];
      sum += runs[i];
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

// Time grows faster than the square of the window: runs have more steps and part more often, and there are more places.
SimulationPlan simulation_plan(int window) {
  if (window <= 20) return {kSimulationBeta, 1 << 19, {1 << 12, 1 << 14, 1 << 16, 1 << 17}};
  if (window <= 40) return {kSimulationBeta, 1 << 16, {1 << 11, 1 << 12, 1 << 13, 1 << 14}};
  return {kSimulationBeta, 1 << 15, {1 << 10, 1 << 11, 1 << 12, 1 << 13}};
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
  const EpsilonGrid grid(window, stay);
  StaSwitchPath path(window, stay);
  BitSource bits = BitSource::with_seed(seed_of(window, stay, 0));
  SwapCounts first(path, first_place(window), grid);
  first.run(plan.first_runs, bits);
  Deltas bound;
  for (const std::int64_t successes : first.most())
    bound.push_back(with_slack(static_cast<double>(successes), plan.first_runs, level_of(window, plan)));

  struct Found {
    Deltas bound;
    std::int64_t runs = 0;
  };
  std::vector<Found> found(static_cast<std::size_t>(window - 1));  // by distance, from 1
  std::atomic<int> next = window - 1;
  const auto take_next = [&](unsigned) {
    for (int distance = next--; distance > 0; distance = next--) {
      const DistanceCover cover(window, stay, distance, plan, bound);
      found[static_cast<std::size_t>(distance - 1)] = {cover.bound(), cover.runs()};
    }
  };
  try {
    on_workers(std::clamp(std::thread::hardware_concurrency(), 1U, 8U), take_next);
  } catch (const std::system_error&) {
    take_next(0);  // the rest, on this thread
  }

  SimulatedProfile profile{grid.step(), bound, plan.first_runs};
  for (const Found& distance : found) {
    profile.runs += distance.runs;
    for (std::size_t i = 0; i < EpsilonGrid::kSize; ++i)
      profile.deltas[i] = std::max(profile.deltas[i], distance.bound[i]);
  }
  for (double& delta : profile.deltas) delta = interrupted() ? 1 : std::min(1.0, delta + kDrawing);
  return profile;
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
  auto profile = std::make_shared<const SimulatedProfile>(simulate_staswitch(window, stay, simulation_plan(window)));
  if (interrupted()) return profile;  // nobody should find it again
  known.push_front({window, stay, std::move(profile)});
  if (known.size() > kKept) known.pop_back();
  return known.front().profile;
}

double simulated_at_best(int window, double delta) {
  const SimulationPlan plan = simulation_plan(window);
  return with_slack(delta * static_cast<double>(plan.first_runs), plan.first_runs, level_of(window, plan));
}

double guess_simulated(int window, double stay, double epsilon) {
  constexpr int kRuns = 1 << 15;
  // The same draws for every p, so that the result changes smoothly with p.
  BitSource bits = BitSource::with_seed(static_cast<std::uint64_t>(window));
  StaSwitchPath path(window, stay);
  const double alpha = std::exp(epsilon);
  double sum = 0, squares = 0;
  for (int i = 0; i < kRuns && !interrupted(); ++i) {
    const double value = std::max(0.0, 1 - alpha / path.run_endless(first_place(window), bits));
    sum += value;
    squares += value * value;
  }
  // One deviation above the mean: a price that turns out higher than its guess must be searched for again.
  const double mean = sum / kRuns, deviation = std::sqrt(std::max(0.0, squares / kRuns - mean * mean) / kRuns);
  return simulated_at_best(window, std::min(1.0, mean + deviation));
}

}  // namespace chronoveil::accounting
