// The values of a chart for those who point at it or go through it by keyboard, without a script: one stop for the Tab
// key, then the arrow keys. A long series is shown by the least and the greatest value of each stretch.
#pragma once

#include <string>

#include "chronoveil/report/draw/chart.h"

namespace chronoveil::report {

inline constexpr std::size_t kMostMarks = 120, kMostSmallMarks = 60;  // of a large chart, and of one of many

// HTML over the plot.
std::string value_marks(const Chart&);

}  // namespace chronoveil::report
