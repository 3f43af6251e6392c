// A value for every step from the values at some. Outside the first and the last sample the nearest one is copied
// outward [Koga22]. No sample at all gives zeros, one sample gives a constant, all sampled gives the samples.
#pragma once

#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/post/samples.h"

namespace chronoveil::post {

enum class Interpolation { linear, nearest, pchip, smooth };

std::string_view name(Interpolation);
Result<Interpolation> parse_interpolation(std::string_view);

// z_a + (z_b − z_a)(t − a)/(b − a) between neighbouring samples a < t < b.
std::vector<double> linear(const Samples&);

// The value of the nearest sample; of two equally near, the earlier.
std::vector<double> nearest(const Samples&);

// A cubic between neighbouring samples with shared slopes, which nowhere leaves the range of its two ends: monotone
// where the samples are, flat where they turn [FritschCarlson80]. With gaps h_k and secants δ_k,
//   inside    0 where δ_{k−1} δ_k <= 0, else the harmonic mean (w₁ + w₂) / (w₁/δ_{k−1} + w₂/δ_k),
//             w₁ = 2h_k + h_{k−1}, w₂ = h_k + 2h_{k−1} [FritschButland84]
//   ends      ((2h₀ + h₁)δ₀ − h₀δ₁) / (h₀ + h₁); 0 where its sign is not that of δ₀; at most 3δ₀ where δ₀δ₁ < 0
//   two samples make a straight line
std::vector<double> pchip(const Samples&);

}  // namespace chronoveil::post
