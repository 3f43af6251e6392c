// The one-way dispatch of [Ye21]: it has only a published analysis. A threshold of 0 is chosen by calibrate(). The
// stationary law:
//   c, the number of empty slots in the window, never grows, and falls when a slot passes empty: in the long run c =
//   c0, no slot passes empty, and value i goes to slot i if that is empty, else to one of the c0 later empty ones, each
//   with probability 1/c0. That is the random juggling of k - c0 balls to heights of at most k - 1, whose stationary
//   law is a product [Warrington05]: a set of filled slots has a probability proportional to
//   Π over filled slots of (the number of empty ones after it).
//   p_0 = P(slot 0 empty), p_j = P(slot 0 filled, slot j empty)/c0, by sums over the number of empty slots passed.
//   Σ j p_j = k - c0, the values that wait for their slots (Little's law)
//   Edges   c0 = k - 1: p_0 = (k-2)/k, every other 2/(k(k-1));  c0 = 1: p_(k-1) = 1, nothing else is ever chosen
#pragma once

#include <vector>

#include "chronoveil/accounting/events/kind.h"

namespace chronoveil::accounting {

struct Threshold {
  static constexpr std::string_view kName = "threshold";
  std::int64_t window;
  std::int64_t threshold;  // c0, 1 to window - 1

  static constexpr auto fields() {
    return std::tuple(
        field::required("window", &Threshold::window, kWindow, kWindowHelp),
        field::noise("threshold", &Threshold::threshold, kAny, "empty slots at which a value goes to its own"));
  }
  bool operator==(const Threshold&) const = default;

  Result<void> check(bool open) const;
  MadeLoss loss() const;                  // cannot_certify
  Result<Event> for_replacement() const;  // refused, as for all events that move values
  bool dominated_by(const Threshold& slot) const { return *this == slot; }
};

// Beyond this window the published number is not computed: the sums take time that grows with its square.
inline constexpr std::int64_t kWidestThresholdWindow = 512;

// p_0, ..., p_(k-1): how far ahead a value is dispatched. Precondition: 1 <= threshold < window <= the widest.
std::vector<double> dispatch_probabilities(std::int64_t window, std::int64_t threshold);

}  // namespace chronoveil::accounting
