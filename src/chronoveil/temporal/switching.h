// RanSwitch and StaSwitch [Ye23] as a stream: values go in one by one and come out exchanged in time, none lost.
//   Law       at step i the offset l = 0 (stay) has probability p, l in {1, ..., k-1} each q = (1 - p)/(k - 1),
//   exactly,
//             p being the rational number that the double is. The values at i and i + l are exchanged, and what is then
//             at i leaves. StaSwitch: a value delayed by b steps already moves on by at most k - 1 - b; a larger offset
//             stays instead. The delay goes with the value: b[i + l] = b[i] + l
//   The end   where r < k positions remain, the law above is taken given l < r: p : q renormalised, so that a step's
//   loss
//             stays ln(p/q); then StaSwitch's limit applies
//   Cost      the first value leaves with the k-th arrival, then one leaves an arrival; k values are held; no
//   allocation
//             after make()
#pragma once

#include <cstdint>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/result.h"

namespace chronoveil::temporal {

inline constexpr std::int64_t kLargestWindow = std::int64_t{1} << 20;

struct SwitchLaw {
  std::int64_t window = 0;  // k, at least 2 and at most kLargestWindow
  double stay = 0;          // p, at least 1/k (p >= q) and less than 1
  bool stateful = false;    // StaSwitch
};
// Errors name `window` or `stay`.
Result<void> check(const SwitchLaw&);

// The stream. `sink(Value&&)` gets what leaves, in order.
template <class Value>
class Switching {
 public:
  static Result<Switching> make(const SwitchLaw&);
  template <class Sink>
  void push(Value value, BitSource&, Sink&& sink);
  // After the last arrival: the rest. Then it is as new.
  template <class Sink>
  void finish(BitSource&, Sink&& sink);
};

}  // namespace chronoveil::temporal
