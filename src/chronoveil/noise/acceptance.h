// The one decision of rejection sampling, made exactly: is a uniform height below a density at a uniform position?
#pragma once

#include <cstdint>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/noise/uniform.h"

namespace chronoveil::noise {

// The density exp(-phi(x)) at x >= 0, with phi(x) = x / scale or x^2 / (2 scale^2). The scale is the exact rational
// number that the double is.
struct Curve {
  bool gaussian;
  double scale;
};

// The relative error that bounds of `near_density` allow for.
inline constexpr double kNearDensityError = 0x1p-34;

// exp(-phi(x)) within a relative error of kNearDensityError, also when x misses its true value by a relative 2^-51;
// 0 when phi(x) > kNearExpLimit, where the truth lies between 0 and 1e-299.
double near_density(const Curve&, double x);

// A point whose coordinates have an integer part, drawn already, and a fraction whose bits are drawn as needed.
struct Candidate {
  std::uint64_t height;  // uniform in [height, height + 1)
  Uint128 position;      // uniform in [position, position + 1), or exactly position
  bool position_is_exact;
  std::uint64_t factor;       // at most 2^40
  std::int64_t exponent = 0;  // at least 0
};

// How undecided comparisons are settled. Both give the same law; `wide` skips the quick comparison in double precision,
// so that tests can exercise what is otherwise needed about once in 2^40 draws.
enum class Route { quick_then_wide, wide };

// Whether height < factor 2^exponent exp(-phi(position)). The answer is exact: bits of both are drawn until intervals
// that contain the two sides are disjoint.
bool accepts(const Curve&, const Candidate&, BitSource&, Route = Route::quick_then_wide);

}  // namespace chronoveil::noise
