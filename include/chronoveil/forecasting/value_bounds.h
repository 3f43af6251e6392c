// Public bounds of the values of a panel. Noise on windows hides a change of at most v (neural/augmentation.h): between
// clamped panels no change is larger than the bounds allow, so a v of that size need not be taken on trust.
//   Clamped   a value outside of [lower, upper] becomes the nearer bound; if a bound is no float, the next float
//             inside. Every observed value then lies in [lower, upper], exactly
//   Missing   stays missing
//   Change    of the D channels of a step together, in the 2-norm: at most √D (upper - lower), rounded up
//   Edges     refused (usage, naming lower or upper): beyond single precision, upper <= lower, fewer than two floats
//             between them
#pragma once

#include <cstdint>

#include "chronoveil/base/result.h"

namespace chronoveil::forecasting {

struct Panel;

class ValueBounds {
 public:
  static Result<ValueBounds> make(double lower, double upper);

  double lower() const { return lower_; }
  double upper() const { return upper_; }
  // √D (upper - lower) if that is a double, else a double above it by less than one part in 2^50.
  double largest_change(std::int64_t channels) const;
  void clamp(Panel&) const;

 private:
  ValueBounds(double lower, double upper, float least, float greatest)
      : lower_(lower), upper_(upper), least_(least), greatest_(greatest) {}

  double lower_, upper_;
  float least_, greatest_;  // the nearest floats inside the bounds
};

}  // namespace chronoveil::forecasting
