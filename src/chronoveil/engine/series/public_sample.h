// A sample that the caller declares public: a release CSV (series,time,value,...) or counts in the same columns.
#pragma once

#include <string>

#include "chronoveil/plan/comparison.h"

namespace chronoveil::engine {

// The column `value` is needed, `series` tells series apart. Rows of one series are in order of time, and all series
// have equally many. Values are rounded to whole numbers and negative ones become 0.
Result<plan::PublicSample> read_public_sample(const std::string& path);

}  // namespace chronoveil::engine
