// All that can happen to StaSwitch's pair of series (staswitch_pair.h) after a swap of two values `distance` steps
// apart: every arrangement that may have come before, every start and every end, as a graph whose nodes are states. It
// depends on the window alone, so one graph serves every p and every α. At one α a state has one value, the mass
// Σ max(0, P - αQ) of what follows; after the values met, one for each ratio P/Q at which they did, 2k at most.
//
// Where the series ends. W U being the value of a state where what follows has value U, and E its value where the end
// has just come in sight (k - 1 positions are left),
//   U = max(W U, E)   is the gain of an opponent who sees the state and decides when the end comes in sight,
//   W^j E             is the value where it comes in sight j steps later, exactly,
//   W^J U             bounds this for every j >= J, and falls as J grows.
// So the W^j E with j < J and W^J U together bound every end.
// Where the series starts. G being a value by what came before, P G is that one step earlier, and the start of a series
// is one arrangement, where nothing was exchanged. So (P^m G)(start) with m < M and the largest P^M G together bound
// every position. J and M grow until the bounds add nothing to what is attained.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chronoveil/accounting/moves/staswitch_pair.h"

namespace chronoveil::accounting {

// Both hold: no position of any series costs more than `upper`, and some real neighbours cost `lower`. Computed in
// double precision; the relative error is below kProfileError.
struct SwapValue {
  double upper = 1;
  double lower = 0;
};

class SwapGraph {
 public:
  // What is known of the window once the end has come in sight: everything; or nothing, and the opponent chooses at
  // each step how long the next value has been delayed. The latter needs a half to a fifth of the nodes, and is enough
  // for distances that are not the worst.
  enum class Ends { exact, coarse };

  // Preconditions: 2 <= window <= kLargestPairWindow, 1 <= distance < window.
  SwapGraph(int window, int distance, Ends ends);

  // Two ordinary values may stay exchanged for ever (from k = 8 on), so U is iterated from 1 downwards; it is a bound
  // wherever that stops. With coarse ends, `lower` is 0.
  SwapValue value(double stay, double alpha) const;
  // What is attained at every α where the earlier of the two values is at step k - 1 and the end is far away.
  PairLoss attained(double stay) const;

  std::size_t nodes() const { return first_edge_.size() - 1; }

 private:
  class Builder;

  // The last difference: the ratio at which the values met, and how many offsets are lost to staying under S and S'.
  struct Leaf {
    int meeting, lost, lost_swapped;
  };
  long double ratio_of(const Leaf&, double stay) const;
  // The place in the table of (p + lost q)/all, and q/all for lost = window; all = p + (positions - 1) q.
  static std::size_t place(int window, int positions, int lost);
  std::vector<double> probabilities(double stay) const;
  std::vector<double> blank(double stay, double alpha, double inner) const;
  double sum(std::uint32_t node, const std::vector<double>& table, const std::vector<double>& values) const;
  void settle(const std::vector<double>& table, std::vector<double>& values) const;
  double bound(const std::vector<double>& table, const std::vector<double>& values, int in_sight, SwapValue& so_far,
               bool real) const;

  int window_, distance_;
  Ends ends_;
  bool cyclic_ = false;
  // Node 0 is an infinite loss, then come the leaves, the states with the end in sight, and from first_endless_ on all
  // others. Successors of a node have smaller numbers, except in cycles.
  std::vector<Leaf> leaves_;
  std::uint32_t first_endless_ = 0;
  std::vector<std::uint32_t> first_edge_;  // of each node
  std::vector<std::uint32_t> to_;
  std::vector<std::uint8_t> weight_;   // places in the table of probabilities
  std::vector<std::uint32_t> or_;      // what the opponent may choose instead: the end in sight, a delay; or 0
  std::vector<std::uint32_t> starts_;  // by the position of the earlier value, 0 to k - 1: nothing exchanged before
  // Arrangements before that value comes in sight, nothing exchanged at place 0, and the steps from one to another.
  std::vector<std::uint32_t> backgrounds_;
  std::vector<std::uint32_t> first_earlier_, earlier_to_;
  std::vector<std::uint8_t> earlier_weight_;
};

// The largest δ of all swaps less than `window` apart, at every position of every series. Distances that a cheaper
// bound rules out are not followed. Precondition: 2 <= window <= kLargestFollowedWindow.
inline constexpr std::int64_t kLargestFollowedWindow = 10;
SwapValue worst_swap(std::int64_t window, double stay, double alpha);

// What a swap window - 1 apart attains at the first step with a whole window before it, the end far away: nearly always
// `lower` of the above, at every α and much quicker.
PairLoss attained_swap(std::int64_t window, double stay);

}  // namespace chronoveil::accounting
