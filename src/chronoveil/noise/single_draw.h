// One draw of rounded noise without the tables that a Sampler makes first: for noise whose scale is new every time.
//   Method    block k with probability 2^-(k+1), a uniform position x in [kL, (k+1)L), kept with probability
//             (4/5) 2^k exp(-phi(x)) (acceptance.h): what is kept has a density proportional to exp(-phi), exactly.
//             L is the power of two in (s, 2s], s the scale, so 2^k exp(-phi(x)) is below 5/4 everywhere: it is at most
//             2 exp(-1/2), in block 1 of Gaussian noise. At least a quarter of all positions are kept
//   Rounding  positions are in half steps, h of them whole: the nearest integer is floor((h + 1) / 2), of either sign
//   Edges     results are limited to +-kNoiseLimit as those of a Sampler are
#pragma once

#include <cstdint>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/noise/acceptance.h"
#include "chronoveil/noise/law.h"

namespace chronoveil::noise {

// Precondition: a rounded law, a scale in [1, kLargestScale] grid steps.
std::int64_t draw_once(Law, double scale, BitSource&, Route = Route::quick_then_wide);

}  // namespace chronoveil::noise
