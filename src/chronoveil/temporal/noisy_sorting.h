// noisy_sort: values leave in the order of their keys t + X, ties in an order drawn afresh.
//   Law      X discrete Laplace of scale 2(k-1)/ε, or the staircase of base/staircase.h, exactly; with `max_shift` m
//            the same law given |X| <= m, by drawing again, never by clamping
//   Privacy  a swap of values less than k steps apart shifts two keys by at most k - 1 each; order and times of release
//            are functions of the keys and the clock: ε-DP without m; with m there is also
//            δ <= P(m-k+1 < |X| <= m) / P(|X| <= m)
//   Stream   with m: what arrives at step t makes everything with a key <= t - m leave. At most 2m + 1 values are held;
//            no allocation after make() except in moving a Value, and if a comparison of noise with its density takes
//            more than 64 bits (at most one draw in 2^30). Without m nothing may leave before the end: noisy_order()
//            for whole files
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/result.h"
#include "chronoveil/temporal/key_law.h"
#include "chronoveil/temporal/key_sampler.h"
#include "chronoveil/temporal/shuffle.h"

namespace chronoveil::temporal {

// order[i] is the step (from 0) of the value that leaves as number i; for 0 <= n < 2^32 values. Takes O(n) steps if
// keys spread over at most a few times n, else O(n log n).
Result<std::vector<std::uint32_t>> noisy_order(std::int64_t n, const NoisySortLaw&, BitSource&);
// The same for many series of one law, whose tables are made once.
Result<std::vector<std::uint32_t>> noisy_order(std::int64_t n, const KeySampler&, BitSource&);

// The largest max_shift of a stream, which holds that many values and more.
inline constexpr std::int64_t kLargestHeldShift = std::int64_t{1} << 24;

// The stream; max_shift must be given. `sink(Value&&)` gets what leaves, in order. A Value must be
// default-constructible and movable.
template <class Value>
class NoisySorting {
 public:
  static Result<NoisySorting> make(const NoisySortLaw& law) {
    CV_CHECK(check(law));
    if (!law.max_shift || *law.max_shift > kLargestHeldShift)
      return invalid("max_shift", law.max_shift ? std::to_string(*law.max_shift) : "none",
                     "a whole number between 1 and 2^24 for a stream");
    CV_TRY(KeySampler keys, KeySampler::make(law));
    return NoisySorting(std::move(keys), static_cast<std::uint32_t>(*law.max_shift));
  }

  template <class Sink>
  void push(Value value, BitSource& bits, Sink&& sink) {
    const std::uint32_t place = next_;
    values_[place] = std::move(value);
    const auto shift = static_cast<std::int32_t>(keys_(bits));
    const std::uint32_t bucket =
        after(place, static_cast<std::uint32_t>(shift < 0 ? shift + static_cast<std::int32_t>(places_) : shift));
    before_[place] = newest_[bucket];
    newest_[bucket] = place;
    pass(bits, sink);
  }

  // After the last arrival: releases the rest and resets.
  template <class Sink>
  void finish(BitSource& bits, Sink&& sink) {
    for (std::uint32_t passed = 1; passed < places_; ++passed) pass(bits, sink);
    next_ = 0;
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  NoisySorting(KeySampler keys, std::uint32_t shift)
      : keys_(std::move(keys)),
        places_(2 * shift + 1),
        shift_(shift),
        values_(places_),
        newest_(places_, kNone),
        before_(places_),
        ties_(places_) {}

  std::uint32_t after(std::uint32_t place, std::uint32_t steps) const {
    const std::uint32_t further = place + steps;
    return further >= places_ ? further - places_ : further;
  }

  // Step t is over: the bucket of key t - m, that is t + m + 1 modulo 2m + 1, is full and leaves.
  template <class Sink>
  void pass(BitSource& bits, Sink&& sink) {
    const std::uint32_t bucket = after(next_, shift_ + 1);
    next_ = after(next_, 1);
    std::size_t count = 0;
    for (std::uint32_t place = newest_[bucket]; place != kNone; place = before_[place]) ties_[count++] = place;
    newest_[bucket] = kNone;
    const std::span<std::uint32_t> ties(ties_.data(), count);
    shuffle(ties, bits);
    for (const std::uint32_t place : ties) sink(std::move(values_[place]));
  }

  KeySampler keys_;
  std::uint32_t places_, shift_;  // 2m + 1, m
  std::uint32_t next_ = 0;        // place of the next arrival
  std::vector<Value> values_;     // a ring: what arrived at step t is at place t mod 2m + 1, and gone before the next
  std::vector<std::uint32_t> newest_;  // of the bucket of each key, modulo 2m + 1
  std::vector<std::uint32_t> before_;  // of each place, the one that came into its bucket before
  std::vector<std::uint32_t> ties_;    // of the bucket that leaves
};

}  // namespace chronoveil::temporal
