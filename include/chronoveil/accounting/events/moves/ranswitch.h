// Each step exchanges its value with a later one of its window, or with probability `stay` leaves it; q = (1 - stay) /
// (window - 1) for each of the others. Neighbours are one series with two values swapped that are less than `window`
// steps apart.
// RanSwitch [Ye23] over sets of outputs. With q = (1 - p)/(k - 1), values distinct:
//   δ(ε) = δ0 + (1 - δ0) max(0, (p - e^ε q)/(p + q)),   δ0 = 1 - (1 - q)^(k-1)
// the largest over all swap distances and positions of a series of at least k values, start and end included. That is
// the profile of a coin of ε0 = ln(p/q) that is shown in full with probability δ0.
//   Edges   p = 1/k: ε0 = 0, only δ0 is left. p near 1: δ0 near 1 - p, ε0 unbounded
#pragma once

#include "chronoveil/accounting/events/kind.h"

namespace chronoveil::accounting {

inline constexpr std::string_view kStayHelp = "probability that a value is not exchanged at its step";
// `stay` is at least 1/window and less than 1; also for StaSwitch.
Result<void> check_stay(std::int64_t window, double stay, bool open);

struct RanSwitch {
  static constexpr std::string_view kName = "ranswitch";
  std::int64_t window;  // k
  double stay;          // p

  static constexpr auto fields() {
    return std::tuple(field::required("window", &RanSwitch::window, kWindow, kWindowHelp),
                      field::noise("stay", &RanSwitch::stay, kAny, kStayHelp));
  }
  bool operator==(const RanSwitch&) const = default;

  Result<void> check(bool open) const { return check_stay(window, stay, open); }
  MadeLoss loss() const;
  Result<Event> for_replacement() const;  // refused, as for all events that move values
  // Whether other parameters disclose less depends on all of them.
  bool dominated_by(const RanSwitch& slot) const { return *this == slot; }
  Result<ZcdpCost> zcdp(double count) const;
};

// Both rounded up.
struct ResponsePair {
  double epsilon = 0;  // ε0
  double delta = 0;    // δ0
};
ResponsePair ranswitch_pair(const RanSwitch&);

// The smallest δ that any `stay` has at ε, rounded up, and the `stay` that has it: q = 1/(e^ε + k - 1), where the
// derivative of δ in q vanishes.
struct BestSwitch {
  double stay = 0;
  double delta = 0;
};
BestSwitch best_ranswitch(std::int64_t window, double epsilon);

}  // namespace chronoveil::accounting
