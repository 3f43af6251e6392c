// What clipping does to one window's gradient at a time, on memory of the CPU: forms it, measures it, adds it up. One
// window fits into a processor's cache, a batch does not; and its result does not depend on its neighbours.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "chronoveil/neural/tape.h"

namespace chronoveil::neural {

// [B, S, features] with features side by side: window b and place s are at b * window + s * place.
struct PlacedFloats {
  const float* at;
  std::int64_t window, place;
};

// One use of a parameter: what window b adds to its gradient.
struct PlacedUse {
  using Kind = Tape::Use::Kind;
  Kind kind;
  PlacedFloats gradient, input;  // a sum has no input
  std::int64_t places, out, in;  // in is 1 unless it is a product
  std::int64_t offset;           // of the parameter, among those that are formed together
  bool first;                    // of that parameter: overwrites what is there
};

// The gradient of one window, every parameter at its offset; scratch is room for scratch_for() numbers.
std::int64_t scratch_for(std::span<const PlacedUse>);
void form_gradient(std::span<const PlacedUse>, std::int64_t window, float* formed, float* scratch);
// ‖v‖², added in double.
double sum_of_squares(const float* v, std::int64_t count);
// sum += c v. In float with at most two roundings per number; in double c v is exact, and there is one rounding.
void add_multiple(float c, const float* v, std::int64_t count, float* sum);
void add_multiple(float c, const float* v, std::int64_t count, double* sum);

}  // namespace chronoveil::neural
