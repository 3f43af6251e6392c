// Exact coins.
#pragma once

#include <cstdint>

#include "chronoveil/base/bit_source.h"

namespace chronoveil::noise {

// True with probability p, the exact rational number that the double is. p <= 0 and NaN: never; p >= 1: always.
bool bernoulli(double p, BitSource&);

// True with probability exp(-x), x >= 0 the exact rational that the double is [CKS20, Algorithm 1].
// x = 0: always; x infinite: never. Precondition: x is not negative and not NaN.
bool bernoulli_exp(double x, BitSource&);

// True with probability exp(-(whole + fraction)), for 0 <= fraction <= 1. Again the exact rational of the double.
bool bernoulli_exp(std::uint64_t whole, double fraction, BitSource&);

}  // namespace chronoveil::noise
