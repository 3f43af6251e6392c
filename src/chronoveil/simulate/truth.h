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
  std::vector<double> sums;          // of the values, if the truth is a mean; else empty
  std::int64_t rows = 0;             // of data written
};

// One line per series and slot, empty ones included: series,time,value (time,value for a series without a name). For
// means: place,slot,mean,records, one line per place and slot with records.
void write_truth(const Truth&, TextFile&);

// One key per line.
void write_keys(const Truth&, TextFile&);

}  // namespace chronoveil::simulate
