// From a tape to Σ_b min(1, bound / ‖g_b‖) g_b, g_b the gradient of window b over all parameters together, cross terms
// of a parameter that several operations use included.
//   A weight that a window uses in one place: ‖g‖² is a product of norms, the clipped sum one matrix product.
//   A weight shared over places: each window's gradient is formed (window_kernels.h; on a device many by one batched
//   product), measured, and summed; norms are measured on the numbers that are summed.
//   A window whose gradient or norm is not finite contributes exactly zero, whatever it holds.
// Float error. u = 2^-24, γ_n = n u / (1 - n u): a sum of n products, in any order and shape, is off by at most γ_n
// times the sum of their magnitudes. Call v_b what is summed for window b: the floats that were formed, or the exact
// product of two kept vectors.
//   Norm   squares are added in float over at most 64 of them and in double beyond, so the measured ‖v_b‖² is at least
//          (1 - γ_67) of the true one, the product of two measured squares too. The factor c_b is rounded to float
//          once. So ‖c_b v_b‖ <= bound (1 + η), 1 + η = (1 + u) (1 + 2^-40) / (1 - γ_67)
//   Sum    each coordinate is a sum of B products, one factor of which may have been rounded once more: it is off by at
//          most γ_{B+1} Σ_b |c_b v_b|, and in the 2-norm all of them by at most γ_{B+1} B bound (1 + η)
//   Both   one window replaced changes the exact sum of c_b v_b by at most 2 bound (1 + η), and each of two computed
//          sums is off by the above: together at most 2 bound (1 + η) (1 + γ_{B+1} B)
//   Tiny   the least of a float is 2^-126: a window is measured by its square plus 2^-126 d, and a factor of at most
//          2^63 times what underflowed is off by 2^-63, B times in each of d coordinates: (B + 1) √d 2^-63 <=
//          (B + 1) √d 2^-32 (2 bound) for bound >= 2^-30 enters the margin too
//   Huge   a window of which a square of a norm reaches 2^126 counts as not finite
// That rests on products in full float32: reduced ones (TF32) are switched off.
// In double. If neighbours draw batches of different sizes (Poisson), a sum must depend on the number of windows only
// through the windows themselves. Products of two floats are exact in double, so with u = 2^-53 in the line on sums
// above, whatever B is, each computed sum is off by at most double_margin(B) bound (1 + η).
#pragma once

#include <cstdint>
#include <optional>

#include "chronoveil/neural/tape.h"

namespace chronoveil::neural {

struct ClippedSum {
  torch::Tensor sum;    // [d], float32, or float64 where summed in double
  torch::Tensor norms;  // [B], float64: internal, never published; NaN or infinite where a window was dropped
};
// bound in [2^-30, 2^60]. No uses, or no windows: the sum is 0.
struct Summation {
  std::optional<std::int64_t> counted;  // the first windows; later ones are padding. Absent: all
  bool in_double = false;
};
ClippedSum sum_of_clipped(const Tape&, double bound, const Summation& = {});

// Σ_b g_b without clipping: not private.
torch::Tensor sum_of_gradients(const Tape&);

// Replacing one window changes the computed sum by at most 2 bound (1 + float_margin), as derived above; k of them by k
// times that. 4e-3 for 256 windows, nearly whatever the model. Infinite from 2^23 windows.
double float_margin(const Parameters&, std::int64_t windows);
// Summed in double, one window contributes at most bound (1 + η) with 1 + η as norm_factor() says, and two sums of at
// most `windows` are each off by at most double_margin bound (1 + η).
double norm_factor(const Parameters&);
double double_margin(std::int64_t windows);

}  // namespace chronoveil::neural
