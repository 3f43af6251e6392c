// From a tape to Σ_b min(1, bound / ‖g_b‖) g_b, g_b the gradient of window b over all parameters together, cross terms
// of a parameter that several operations use included.
//   A weight that a window uses in one place: ‖g‖² is a product of norms, the clipped sum one weighted matrix product.
//   A weight shared over places: each window's gradient is formed by one batched product, measured, and summed; norms
//   are measured on the numbers that are summed.
//   A window whose gradient or norm is not finite contributes exactly zero, whatever it holds.
// Float error. With u = 2^-24 and γ_n = n u / (1 - n u): the measured norm is below the true one by a factor of at most
// 1 + norm_error (sums of n terms, in any order), so a window contributes at most bound (1 + norm_error); the sum over
// B windows is off by at most γ_B B bound in the 2-norm. float_margin() has both; the caller takes a smaller bound.
#pragma once

#include <cstdint>

#include "chronoveil/neural/tape.h"

namespace chronoveil::neural {

struct ClippedSum {
  torch::Tensor sum;    // [d], float32
  torch::Tensor norms;  // [B]: internal, never published; NaN or infinite where a window was dropped
};
ClippedSum sum_of_clipped(const Tape&, double bound);

// Σ_b g_b without clipping: not private.
torch::Tensor sum_of_gradients(const Tape&);

// What one window replaced changes the computed sum by, at most: 2 bound (1 + float_margin).
double float_margin(const Parameters&, std::int64_t windows);

}  // namespace chronoveil::neural
