#include "chronoveil/accounting/moves/staswitch_graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <utility>

#include "chronoveil/accounting/moves/staswitch_game.h"
#include "chronoveil/base/interrupted.h"

namespace chronoveil::accounting {

std::size_t SwapGraph::place(int window, int positions, int lost) {
  return static_cast<std::size_t>(positions) * static_cast<std::size_t>(window + 1) + static_cast<std::size_t>(lost);
}

std::vector<double> SwapGraph::probabilities(double stay) const {
  const long double p = stay, q = (1 - p) / static_cast<long double>(window_ - 1);
  std::vector<double> table(place(window_, window_, window_) + 1);
  for (int positions = 1; positions <= window_; ++positions) {
    const long double all = p + static_cast<long double>(positions - 1) * q;
    for (int lost = 0; lost < window_; ++lost)
      table[place(window_, positions, lost)] = static_cast<double>((p + static_cast<long double>(lost) * q) / all);
    table[place(window_, positions, window_)] = static_cast<double>(q / all);
  }
  return table;
}

long double SwapGraph::ratio_of(const Leaf& leaf, double stay) const {
  const long double p = stay, q = (1 - p) / static_cast<long double>(window_ - 1);
  auto staying = [&](int lost) { return p + static_cast<long double>(lost) * q; };
  const long double met = leaf.meeting < window_ ? staying(leaf.meeting) / q : q / staying(leaf.meeting - window_);
  return met * (staying(leaf.lost) / staying(leaf.lost_swapped));
}

// The values of nodes that end a difference; all others are `inner`.
std::vector<double> SwapGraph::blank(double stay, double alpha, double inner) const {
  std::vector<double> values(nodes(), inner);
  values[0] = 1;
  for (std::size_t i = 0; i < leaves_.size(); ++i)
    values[1 + i] = static_cast<double>(std::max(0.0L, 1 - alpha / ratio_of(leaves_[i], stay)));
  return values;
}

double SwapGraph::sum(std::uint32_t node, const std::vector<double>& table, const std::vector<double>& values) const {
  double sum = 0;
  for (std::uint32_t edge = first_edge_[node]; edge < first_edge_[node + 1]; ++edge)
    sum += table[weight_[edge]] * values[to_[edge]];
  return sum;
}

// U = max(W U, E), from above.
void SwapGraph::settle(const std::vector<double>& table, std::vector<double>& values) const {
  constexpr int kMostSweeps = 200;
  constexpr double kSettled = 1e-14;
  for (int sweep = 0; sweep < (cyclic_ ? kMostSweeps : 1); ++sweep) {
    double change = 0;
    for (auto node = static_cast<std::uint32_t>(1 + leaves_.size()); node < nodes(); ++node) {
      double value = sum(node, table, values);
      if (or_[node] != 0) value = std::max(value, values[or_[node]]);
      change = std::max(change, values[node] - value);
      values[node] = value;
    }
    if (change < kSettled || interrupted()) break;
  }
}

PairLoss SwapGraph::attained(double stay) const {
  constexpr double kNegligible = 1e-18;
  const std::vector<double> table = probabilities(stay);
  std::vector<double> mass(nodes(), 0);
  mass[starts_.back()] = 1;
  // Against the order; what a cycle brings back waits for the next round.
  for (double waiting = 1; waiting > kNegligible && !interrupted();) {
    for (auto node = static_cast<std::uint32_t>(nodes()); node-- > first_endless_;) {
      const double here = std::exchange(mass[node], 0);
      if (here == 0) continue;
      for (std::uint32_t edge = first_edge_[node]; edge < first_edge_[node + 1]; ++edge)
        mass[to_[edge]] += here * table[weight_[edge]];
    }
    waiting = std::accumulate(mass.begin() + static_cast<std::ptrdiff_t>(first_endless_), mass.end(), 0.0);
  }
  PairLoss loss;
  loss.infinite = mass[0];
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const long double p = mass[1 + i], ratio = ratio_of(leaves_[i], stay);
    if (!(p > 0)) continue;
    if (ratio > 1)
      loss.atoms.push_back({p, p / ratio});
    else
      loss.zero += p;
  }
  std::sort(loss.atoms.begin(), loss.atoms.end(),
            [](const PairLoss::Atom& one, const PairLoss::Atom& other) { return one.p * other.q > other.p * one.q; });
  return loss;
}

// A bound for all starts of a series whose end comes in sight `in_sight` steps after the earlier of the two values did.
// `real`: these are the values of such series, not a bound on them, so those at the start are attained.
double SwapGraph::bound(const std::vector<double>& table, const std::vector<double>& values, int in_sight,
                        SwapValue& so_far, bool real) const {
  constexpr double kNothing = 1e-13;
  constexpr int kMostSteps = 400;
  double most = so_far.upper;
  auto start = [&](double value) {
    most = std::max(most, value);
    if (real) so_far.lower = std::max(so_far.lower, value);
  };
  // The later of the two must be before the end.
  for (int first = 0; first < window_; ++first)
    if (first + distance_ - in_sight <= window_ - 2) start(values[starts_[static_cast<std::size_t>(first)]]);
  if (distance_ + 1 > in_sight) return most;
  std::vector<double> now, next(backgrounds_.size());
  for (const std::uint32_t node : backgrounds_) now.push_back(values[node]);
  double highest = *std::max_element(now.begin(), now.end());
  for (int step = 0; step < kMostSteps && highest > most + kNothing; ++step) {
    for (std::size_t node = 0; node < now.size(); ++node) {
      double sum = 0;
      for (std::uint32_t edge = first_earlier_[node]; edge < first_earlier_[node + 1]; ++edge)
        sum += table[earlier_weight_[edge]] * now[earlier_to_[edge]];
      next[node] = sum;
    }
    now.swap(next);
    start(now.front());
    highest = *std::max_element(now.begin(), now.end());
  }
  return std::max(most, highest);
}

SwapValue SwapGraph::value(double stay, double alpha) const {
  constexpr int kFarAway = std::numeric_limits<int>::max() / 2;
  const std::vector<double> table = probabilities(stay);
  std::vector<double> beyond = blank(stay, alpha, 1);
  settle(table, beyond);
  if (ends_ == Ends::coarse) {
    SwapValue unattained{0, 0};
    return {bound(table, beyond, kFarAway, unattained, false), 0};
  }
  const auto attained_far_away = static_cast<double>(attained(stay).delta(alpha));
  SwapValue value{attained_far_away, attained_far_away};
  constexpr double kSettled = 1e-13;
  constexpr int kMostSteps = 100;
  std::vector<double> ending = beyond, next_beyond = beyond, next_ending = beyond;
  for (std::uint32_t node = first_endless_; node < nodes(); ++node)
    ending[node] = or_[node] != 0 ? beyond[or_[node]] : 1;
  for (int in_sight = 1; in_sight <= kMostSteps && !interrupted(); ++in_sight) {
    double change = 0;
    for (std::uint32_t node = first_endless_; node < nodes(); ++node) {
      next_beyond[node] = sum(node, table, beyond);
      next_ending[node] = sum(node, table, ending);
      change = std::max(change, beyond[node] - next_beyond[node]);
    }
    beyond.swap(next_beyond);
    ending.swap(next_ending);
    value.upper = bound(table, ending, in_sight, value, true);
    if (change < kSettled) break;
    double most = 0;
    for (const std::uint32_t start : starts_) most = std::max(most, beyond[start]);
    for (const std::uint32_t node : backgrounds_) most = std::max(most, beyond[node]);
    if (most <= value.upper) break;
  }
  value.upper = bound(table, beyond, kFarAway, value, false);
  return value;
}

namespace {

// The graphs of one window are kept, since a search asks for them again and again: half a gigabyte at k = 10.
class SwapGraphs {
 public:
  std::shared_ptr<const SwapGraph> get(int window, int distance, SwapGraph::Ends ends) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (window != window_) known_.clear();
    window_ = window;
    const std::pair key(distance, ends);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    auto graph = std::make_shared<const SwapGraph>(window, distance, ends);
    if (!interrupted()) known_.emplace(key, graph);
    return graph;
  }

 private:
  std::mutex mutex_;
  int window_ = 0;
  std::map<std::pair<int, SwapGraph::Ends>, std::shared_ptr<const SwapGraph>> known_;
};

SwapGraphs& graphs() {
  static SwapGraphs all;
  return all;
}

}  // namespace

SwapValue worst_swap(std::int64_t window, double stay, double alpha) {
  const auto k = static_cast<int>(window);
  // Who interrupts gets no price, but a bound that always holds.
  const auto value = [&](int distance, SwapGraph::Ends ends) {
    const std::shared_ptr<const SwapGraph> graph = graphs().get(k, distance, ends);
    const SwapValue found = interrupted() ? SwapValue{1, 0} : graph->value(stay, alpha);
    return interrupted() ? SwapValue{1, 0} : found;
  };
  SwapValue worst = value(k - 1, SwapGraph::Ends::exact);
  if (interrupted()) return worst;
  const std::vector<long double> games = staswitch_games(staswitch_law(window, stay), alpha);
  for (int distance = k - 2; distance > 0; --distance) {
    if (games[static_cast<std::size_t>(distance)] <= worst.upper) continue;
    if (value(distance, SwapGraph::Ends::coarse).upper <= worst.upper) continue;
    const SwapValue other = value(distance, SwapGraph::Ends::exact);
    worst = {std::max(worst.upper, other.upper), std::max(worst.lower, other.lower)};
  }
  return worst;
}

PairLoss attained_swap(std::int64_t window, double stay) {
  const auto k = static_cast<int>(window);
  const std::shared_ptr<const SwapGraph> graph = graphs().get(k, k - 1, SwapGraph::Ends::exact);
  return interrupted() ? PairLoss{} : graph->attained(stay);
}

}  // namespace chronoveil::accounting
