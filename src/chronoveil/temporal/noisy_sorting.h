// noisy_sort: values leave in the order of their keys t + X, ties in an order drawn afresh.
//   Law      X discrete Laplace of scale 2(k-1)/ε, or the staircase of base/staircase.h, exactly; with `max_shift` m
//   the
//            same law given |X| <= m, by drawing again, never by clamping
//   Privacy  a swap of values less than k steps apart shifts two keys by at most k - 1 each; order and times of release
//            are functions of the keys and the clock: ε-DP without m, and with m
//            δ <= P(m-k+1 < |X| <= m) / P(|X| <= m) more
//   Stream   with m: what arrives at step t makes everything with a key <= t - m leave. At most 2m + 1 values are held;
//            no allocation after make(). Without m nothing may leave before the end: noisy_order() for whole files
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/result.h"

namespace chronoveil::temporal {

enum class KeyLaw { laplace, staircase };

struct NoisySortLaw {
  std::int64_t window = 0;  // k, 2 to kLargestWindow
  double epsilon = 0;
  KeyLaw law = KeyLaw::laplace;
  std::optional<std::int64_t> max_shift;  // m, at least 1
};
// Errors name the parameter.
Result<void> check(const NoisySortLaw&);

// order[i] is the step (from 0) of the value that leaves as number i; for n < 2^32 values.
Result<std::vector<std::uint32_t>> noisy_order(std::int64_t n, const NoisySortLaw&, BitSource&);

// The stream; max_shift must be given. `sink(Value&&)` gets what leaves, in order.
template <class Value>
class NoisySorting {
 public:
  static Result<NoisySorting> make(const NoisySortLaw&);
  template <class Sink>
  void push(Value value, BitSource&, Sink&& sink);
  template <class Sink>
  void finish(BitSource&, Sink&& sink);
};

}  // namespace chronoveil::temporal
