// δ of StaSwitch, measured: an upper bound that holds with a stated confidence, for windows beyond those that can be
// followed exactly.
//
// Theorem. With probability at least 1 - β over the draws, SimulatedProfile::delta(ε) is at least
// δ(ε) = sup Σ max(0, P - e^ε Q) at every ε >= 0 at once, the supremum being over all swaps less than k apart, all
// starts and all ends of series of at least k distinct values.
//   1. A run (staswitch_path.h) of a swap at one place, with one end, has a ratio P/Q; with U uniform on [0, 1), the
//      coin 1[α < (P/Q)(1 - U)] has the mean E max(0, 1 - α Q/P) = δ at this place. Where a run stands for many starts
//      or ends, the mean is at least that of each of them.
//   2. The upper limit of n coins [ClopperPearson34] is below their mean with probability at most its level.
//   3. The level is β divided by the number of all limits that could be looked at: distances, sets of starts, ends,
//      numbers of runs and ε of a grid. That family depends on k alone, and no independence is needed, so which of the
//      limits are looked at may depend on the draws.
//   4. Sets of starts that were found to be below the bound cover every start: they are the leaves of a tree that
//      halves {0, 1, 2, ...}. A distance at which the closed form is below the bound at some ε needs no coins there.
//   5. A profile is convex in α, so straight lines between the points of the grid are above it; beyond the last point,
//      which no finite loss exceeds, it is constant.
//
// What the confidence means. The draws come from ChaCha20 with a seed made of k and p, so that one event has one price.
// The confidence is 1 - β if k and p are fixed without looking at the draws. Choosing one of n events by their prices
// has a confidence of 1 - nβ, and calibrate() says so.
//
// Many runs of one place, which is nearly always the worst, set the bound a little above what they show; places well
// below it need few runs to be within it, and a place that is not raises it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "chronoveil/accounting/moves/staswitch_path.h"

namespace chronoveil::accounting {

inline constexpr double kSimulationBeta = 1e-6;
inline constexpr std::int64_t kLargestSimulatedWindow = 100;
inline constexpr int kMostCompared = 10;  // prices that calibrate() may compare before it chooses one

// The ε at which coins are thrown: 0 to the largest finite loss, in equal steps.
class EpsilonGrid {
 public:
  static constexpr std::size_t kSize = 48;
  EpsilonGrid(int window, double stay);
  double at(std::size_t i) const { return step_ * static_cast<double>(i); }
  double step() const { return step_; }
  // How many points are below ε; a point slightly above ε counts as ε, since ratios are rounded.
  std::size_t below(double epsilon) const;

 private:
  double step_;
};

// How many coins of a place came up 1, by ends and by ε.
class SwapCounts {
 public:
  SwapCounts(StaSwitchPath&, const SwapPlace&, const EpsilonGrid&);
  void run(std::int64_t times, BitSource&);
  std::int64_t runs() const { return runs_; }
  int first_end() const { return first_end_; }
  // From first_end() to StaSwitchPath::last_end(): coins by points of the grid.
  std::vector<std::vector<std::int64_t>> by_end() const;
  // The most of any end.
  std::vector<std::int64_t> most() const;

 private:
  std::size_t fallen_to(double ratio, double uniform) const;

  std::vector<std::int64_t>& change(int end) { return changes_[static_cast<std::size_t>(end - first_end_)]; }

  StaSwitchPath& path_;
  SwapPlace place_;
  EpsilonGrid grid_;
  int first_end_;
  std::int64_t runs_ = 0;
  std::vector<StaSwitchPath::EndsRatio> ratios_;
  // Runs by ends, as changes from the end before, and by how many points were below their (P/Q)(1 - U).
  std::vector<std::vector<std::int64_t>> changes_;
};

struct SimulationPlan {
  double beta = kSimulationBeta;
  std::int64_t first_runs = 0;     // of the place that sets the bound: k - 1 apart, the first at step k - 1
  std::vector<std::int64_t> runs;  // of the others: the numbers of runs after which they are checked, rising
};
// What prices use, on two cores: some 2 s at k = 12 and 5 s at k = 20 with half a million and, for the others, up to
// 131,072 runs; 5 s at k = 40 and 15 s at k = 80 with an eighth and a sixteenth of them, which leaves the bound further
// above the measured values.
SimulationPlan simulation_plan(int window);

struct SimulatedProfile {
  double step = 0;             // from one ε to the next
  std::vector<double> deltas;  // at multiples of it
  std::int64_t runs = 0;       // that it took
  double delta(double epsilon) const;
};
// Preconditions: 2 <= window <= StaSwitchPath::kLargestPathWindow, 1/window <= stay < 1, the plan names some runs.
SimulatedProfile simulate_staswitch(int window, double stay, const SimulationPlan&);
// By the plan of prices; the last few are kept.
std::shared_ptr<const SimulatedProfile> simulated_staswitch(int window, double stay);

// The profile at one ε, for searches; neither is a bound. simulated_at_best(): if the place that sets it has this δ and
// no other is worse. The other: from a few runs with different draws.
double simulated_at_best(int window, double delta);
double guess_simulated(int window, double stay, double epsilon);

}  // namespace chronoveil::accounting
