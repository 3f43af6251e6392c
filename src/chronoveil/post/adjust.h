// Adjustments that a reader expects of counts. They are functions of what was released, so the guarantee stays; a true
// count in an interval stays in it.
#pragma once

#include "chronoveil/base/measurement.h"

namespace chronoveil::post {

// max(0, ·) on value, lower and upper: true counts are at least 0.
Estimate non_negative(Estimate);

// The value to the nearest integer (halves up); lower down and upper up, so that no true count drops out.
Estimate to_integers(Estimate);

// The same for one value, its lower and its upper end; no negative zero, and infinity stays infinite.
double nearest_integer(double);
double integer_below(double);
double integer_above(double);

}  // namespace chronoveil::post
