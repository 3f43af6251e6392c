// The four laws of noise on the integers, in grid steps.
#pragma once

#include <array>
#include <string_view>

#include "chronoveil/base/result.h"

namespace chronoveil::noise {

// With s the scale in grid steps (Laplace: b, Gaussian: sigma) and X continuous with density proportional to
//   laplace   exp(-|x| / s)              gaussian   exp(-x^2 / (2 s^2))
// a rounded law is that of the nearest integer to X, P(k) = P(k - 1/2 <= X < k + 1/2), and a discrete law has
// P(k) proportional to the density at k [CKS20].
enum class Law { rounded_laplace, rounded_gaussian, discrete_laplace, discrete_gaussian };

inline constexpr std::array<Law, 4> kLaws = {Law::rounded_laplace, Law::rounded_gaussian, Law::discrete_laplace,
                                             Law::discrete_gaussian};

constexpr bool is_rounded(Law law) { return law == Law::rounded_laplace || law == Law::rounded_gaussian; }
constexpr bool is_gaussian(Law law) { return law == Law::rounded_gaussian || law == Law::discrete_gaussian; }

std::string_view name(Law);
Result<Law> parse_law(std::string_view);

}  // namespace chronoveil::noise
