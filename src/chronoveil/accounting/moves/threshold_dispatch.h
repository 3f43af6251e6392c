// The stationary law of the Threshold mechanism [Ye21], for its published analysis.
//   c, the number of empty slots in the window, never grows, and falls when a slot passes empty: in the long run c =
//   c0, no slot passes empty, and value i goes to slot i if that is empty, else to one of the c0 later empty ones, each
//   with probability 1/c0. That is the random juggling of k - c0 balls to heights of at most k - 1, whose stationary
//   law is a product [Warrington05]: a set of filled slots has a probability proportional to
//   Π over filled slots of (the number of empty ones after it).
//   p_0 = P(slot 0 empty), p_j = P(slot 0 filled, slot j empty)/c0, by sums over the number of empty slots passed.
//   Σ j p_j = k - c0, the values that wait for their slots (Little's law)
//   Edges   c0 = k - 1: p_0 = (k-2)/k, every other 2/(k(k-1));  c0 = 1: p_(k-1) = 1, nothing else is ever chosen
#pragma once

#include <cstdint>
#include <vector>

namespace chronoveil::accounting {

// Beyond this the published number is not computed: the sums take the square of it.
inline constexpr std::int64_t kWidestThresholdWindow = 512;

// p_0, ..., p_(k-1): how far ahead a value is dispatched. Precondition: 1 <= threshold < window <= the widest.
std::vector<double> dispatch_probabilities(std::int64_t window, std::int64_t threshold);

}  // namespace chronoveil::accounting
