// The Threshold mechanism [Ye21], the one-way baseline: value i goes to one of the slots i, ..., i+k-1 that are still
// empty, c of them. If c > c0 uniformly among those; else to slot i if it is empty; else uniformly among the later
// ones.
//   A slot that passes empty is released empty. Values that were sent to slots beyond the last are missing. No value is
//   repeated: released + missing = values, released + empty = slots, so missing = empty. There are always at least c0
//   empty slots: c falls only where the value goes past an empty slot i, which needs c > c0.
//   Cost   slot i leaves with arrival i; k slots are held; no allocation after make() except in moving a Value
#pragma once

#include <cstdint>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/result.h"
#include "chronoveil/noise/uniform.h"

namespace chronoveil::temporal {

struct ThresholdLaw {
  std::int64_t window = 0;     // k, 2 to kLargestWindow
  std::int64_t threshold = 0;  // c0, 1 to k - 1
};
// Errors name `window` or `threshold`.
Result<void> check(const ThresholdLaw&);

// The stream. `sink(std::optional<Value>&&)` gets every slot as it leaves, std::nullopt for empty ones.
template <class Value>
class ThresholdDispatch {
 public:
  static Result<ThresholdDispatch> make(const ThresholdLaw& law) {
    CV_CHECK(check(law));
    return ThresholdDispatch(law);
  }

  template <class Sink>
  void push(Value value, BitSource& bits, Sink&& sink) {
    const bool stays = empty_.size() <= threshold_ && !slots_[first_];
    const std::uint32_t slot = stays ? first_ : empty_[noise::uniform_below(empty_.size(), bits)];
    slots_[slot] = std::move(value);
    take(slot);
    std::optional<Value> leaving = std::exchange(slots_[first_], std::nullopt);
    // The slot k steps on takes the place of this one, empty.
    if (leaving) {
      where_[first_] = static_cast<std::uint32_t>(empty_.size());
      empty_.push_back(first_);
    }
    first_ = first_ + 1 == slots_.size() ? 0 : first_ + 1;
    sink(std::move(leaving));
  }

  // Nothing is left to release; returns the number of missing values and resets.
  std::int64_t finish() {
    const auto missing = static_cast<std::int64_t>(slots_.size() - empty_.size());
    for (std::optional<Value>& slot : slots_) slot.reset();
    start();
    return missing;
  }

 private:
  explicit ThresholdDispatch(const ThresholdLaw& law)
      : threshold_(static_cast<std::size_t>(law.threshold)),
        slots_(static_cast<std::size_t>(law.window)),
        empty_(slots_.size()),
        where_(slots_.size()) {
    start();
  }

  void start() {
    first_ = 0;
    empty_.resize(slots_.size());
    std::iota(empty_.begin(), empty_.end(), 0);
    std::iota(where_.begin(), where_.end(), 0);
  }

  // Takes the slot off the list of empty ones: the last of the list takes its place there.
  void take(std::uint32_t slot) {
    const std::uint32_t last = empty_.back();
    empty_[where_[slot]] = last;
    where_[last] = where_[slot];
    empty_.pop_back();
  }

  std::size_t threshold_;
  std::uint32_t first_ = 0;                  // of the slot that leaves next
  std::vector<std::optional<Value>> slots_;  // a ring: slot t at t mod k
  std::vector<std::uint32_t> empty_;         // in no order
  std::vector<std::uint32_t> where_;         // in that list; of empty slots
};

}  // namespace chronoveil::temporal
