// From the measured steps of one series to a value and an interval at every step. Post-processing: it sees released
// values, the public law of their noise and public bounds, so it cannot change the guarantee.
//   linear, nearest   the variances of intervals.h at their rate
//   pchip             the half width of `linear` plus the distance to `linear`, so the interval holds that of `linear`
//   smooth            the smoother at the likeliest q; the half width is that of the smoother at the plausible q plus
//                     the distance to it: the interval covers what the released values cannot tell apart
// Edges: at a measured step all but `smooth` give the measured value and the interval of its noise. No sample: 0 and
// [lowest, highest]. One sample: steps that were not measured get [lowest, highest], stretched to hold the copied
// value, since one value does not tell how fast the series moves.
#pragma once

#include "chronoveil/base/measurement.h"
#include "chronoveil/post/interpolation.h"

namespace chronoveil::post {

struct Resampling {
  Interpolation interpolation = Interpolation::linear;
  double noise_deviation = 1;      // σ, greater than 0
  double level = 0.95;             // of the intervals
  double lowest = 0, highest = 0;  // public bounds of every true value
};

Estimate resample(const Samples&, const Resampling&);

}  // namespace chronoveil::post
