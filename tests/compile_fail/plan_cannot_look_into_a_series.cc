// Bounded series have a name at plan time, since mechanisms declare what they measure, but no members.
// layer: plan
// expect-error: incomplete type
#include "chronoveil/plan/comparison.h"

auto look(const chronoveil::bound::BoundedSeries& series) { return series.counts(); }
