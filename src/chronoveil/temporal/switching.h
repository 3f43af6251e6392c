// RanSwitch and StaSwitch [Ye23] as a stream: values go in one by one and come out exchanged in time, none lost.
//   Law      at step i the offset l = 0 (stay) has probability p, l in {1, ..., k-1} each q = (1 - p)/(k - 1), exactly,
//            p being the rational number that the double is. The values at i and i + l are exchanged, and what is then
//            at i leaves. StaSwitch: a value delayed by b steps already moves on by at most k - 1 - b; a larger offset
//            stays instead. The delay goes with the value: b[i + l] = b[i] + l
//   The end  where r < k positions remain, the law above is taken given l < r, by drawing again: p : q renormalised, so
//            that a step's loss stays ln(p/q); then StaSwitch's limit applies
//   Cost     the first value leaves with the k-th arrival, then one value leaves per arrival; k values are held; no
//            allocation after make() except in moving a Value
//   Neither the draws nor the times at which values leave depend on any value.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/result.h"
#include "chronoveil/temporal/offset_law.h"

namespace chronoveil::temporal {

inline constexpr std::int64_t kLargestWindow = std::int64_t{1} << 20;

struct SwitchLaw {
  std::int64_t window = 0;  // k, at least 2 and at most kLargestWindow
  double stay = 0;          // p, at least 1/k (p >= q) and less than 1
  bool stateful = false;    // StaSwitch
};
// Errors name `window` or `stay`.
Result<void> check(const SwitchLaw&);

// The stream. `sink(Value&&)` gets what leaves, in order. A Value must be default-constructible and movable.
template <class Value>
class Switching {
 public:
  static Result<Switching> make(const SwitchLaw& law) {
    CV_CHECK(check(law));
    return Switching(law);
  }

  template <class Sink>
  void push(Value value, BitSource& bits, Sink&& sink) {
    const std::uint32_t arrival = after(first_, held_);
    values_[arrival] = std::move(value);
    if (stateful_) delays_[arrival] = 0;
    if (held_ + 1 < window_) {
      ++held_;
    } else {
      leave(offsets_(bits), sink);
    }
  }

  // After the last arrival: releases the rest and resets.
  template <class Sink>
  void finish(BitSource& bits, Sink&& sink) {
    for (; held_ > 0; --held_) {
      std::uint32_t offset = offsets_(bits);
      while (offset >= held_) offset = offsets_(bits);
      leave(offset, sink);
    }
    first_ = 0;
  }

 private:
  explicit Switching(const SwitchLaw& law)
      : offsets_(law.window, law.stay),
        window_(static_cast<std::uint32_t>(law.window)),
        stateful_(law.stateful),
        values_(window_),
        delays_(stateful_ ? window_ : 0) {}

  std::uint32_t after(std::uint32_t place, std::uint32_t steps) const {
    const std::uint32_t further = place + steps;
    return further >= window_ ? further - window_ : further;
  }

  // The exchange of the first value held with that at `offset`, which leaves.
  template <class Sink>
  void leave(std::uint32_t offset, Sink&& sink) {
    std::uint32_t other = after(first_, offset);
    if (stateful_) {
      const std::uint32_t delay = delays_[first_];
      if (offset >= window_ - delay) {
        offset = 0;
        other = first_;
      }
      delays_[other] = delay + offset;
    }
    Value leaving = std::move(values_[other]);
    if constexpr (std::is_trivially_copyable_v<Value>) {
      values_[other] = values_[first_];  // also if both are the same: avoids an unpredictable branch
    } else if (other != first_) {
      values_[other] = std::move(values_[first_]);
    }
    first_ = after(first_, 1);
    sink(std::move(leaving));
  }

  OffsetLaw offsets_;
  std::uint32_t window_;
  bool stateful_;
  std::uint32_t first_ = 0;            // place of the next step to be released
  std::uint32_t held_ = 0;             // values between pushes, at most k - 1
  std::vector<Value> values_;          // a ring: step t at place t mod k
  std::vector<std::uint32_t> delays_;  // of each place; StaSwitch only
};

}  // namespace chronoveil::temporal
