// RanSwitch that never delays a value by more than window - 1 in all [Ye23].
// The price of StaSwitch [Ye23] over sets of outputs: δ(ε) = sup Σ max(0, P - e^ε Q) over all swaps of two values less
// than k steps apart, all positions in all series of at least k distinct values, start and end included.
//   k <= 10  exact: every distance, start and end is followed, in the middle of a series with the probabilities of what
//            may have come before (staswitch_pair.h has the process, staswitch_graph.h the values at one ε). The
//            certified price and what real neighbours attain agree up to rounding; `exact` means to 1e-9
//   k > 10   between two bounds in closed form: the upper one of staswitch_bounds.h, and what a swap k - 1 steps apart
//            attains, the first value at step k - 1. For k <= kLargestSimulatedWindow one use is also measured
//            (staswitch_simulation.h), and the lower upper bound counts; it has a confidence if it is the measured one
// Compositions need a whole profile: up to k = 6 from the distributions of losses below, up to k = 8 from points of the
// exact one, up to k = 10 from staswitch_game.h, beyond from the closed form: they are certain for every k. The largest
// δ is not always far from the ends (at k = 6, p = 0.9 an end six steps after the swap costs 2e-12 more, at p = 0.3 and
// ε = 2 an end costs 6e-7 more), so no single position is taken for the worst.
#pragma once

#include "chronoveil/accounting/events/moves/ranswitch.h"

namespace chronoveil::accounting {

struct StaSwitch {
  static constexpr std::string_view kName = "staswitch";
  std::int64_t window;  // k
  double stay;          // p

  static constexpr auto fields() {
    return std::tuple(field::required("window", &StaSwitch::window, kWindow, kWindowHelp),
                      field::noise("stay", &StaSwitch::stay, kAny, kStayHelp));
  }
  bool operator==(const StaSwitch&) const = default;

  Result<void> check(bool open) const { return check_stay(window, stay, open); }
  MadeLoss loss() const;
  Result<Event> for_replacement() const;  // refused, as for all events that move values
  // Whether other parameters disclose less depends on all of them.
  bool dominated_by(const StaSwitch& slot) const { return *this == slot; }
  Result<ZcdpCost> zcdp(double count) const;
};

}  // namespace chronoveil::accounting
