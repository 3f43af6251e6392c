// The Threshold mechanism [Ye21], the one-way baseline: value i goes to one of the slots i, ..., i+k-1 that are still
// empty, c of them. If c > c0 uniformly among those; else to slot i if it is empty; else uniformly among the later
// ones.
//   A slot that passes empty is released empty. Values that were sent to slots beyond the last are missing. No value is
//   repeated: released + missing = values, released + empty = slots, so missing = empty.
//   Cost   slot i leaves with arrival i; k slots are held; no allocation after make()
#pragma once

#include <cstdint>
#include <optional>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/result.h"

namespace chronoveil::temporal {

struct ThresholdLaw {
  std::int64_t window = 0;     // k, 2 to kLargestWindow
  std::int64_t threshold = 0;  // c0, 1 to k - 1
};
Result<void> check(const ThresholdLaw&);

// The stream. `sink(std::optional<Value>&&)` gets every slot as it leaves, empty ones as nothing.
template <class Value>
class ThresholdDispatch {
 public:
  static Result<ThresholdDispatch> make(const ThresholdLaw&);
  template <class Sink>
  void push(Value value, BitSource&, Sink&& sink);
  // There is nothing left to release; gives the number of values that are missing. Then it is as new.
  std::int64_t finish();
};

}  // namespace chronoveil::temporal
