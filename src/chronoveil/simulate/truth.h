// What is true of simulated data, counted while it was made.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chronoveil/base/slot_axis.h"
#include "chronoveil/simulate/text_file.h"

namespace chronoveil::simulate {

struct Truth {
  std::vector<std::string> keys;  // the public series; empty for one series without a name
  SlotAxis axis;
  std::vector<std::int64_t> counts;  // of records, or the sum of their amounts; series-major
  std::vector<double> sums;          // of the values whose mean is the truth; empty when counts are
  std::int64_t rows = 0;             // of data written
};

// A line for every series and slot, empty ones included: series,time,value (time,value for a series without a name).
// Where means are the truth: place,slot,mean,records, a line for every place and slot that has records.
void write_truth(const Truth&, TextFile&);

// A key a line.
void write_keys(const Truth&, TextFile&);

}  // namespace chronoveil::simulate
