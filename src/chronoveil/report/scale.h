// The vertical axis: a range with round ticks.
#pragma once

#include <vector>

namespace chronoveil::report {

struct Scale {
  double low = 0, high = 1;  // both ticks
  double unit = 1;           // between two ticks: 1, 2 or 5 times a power of ten

  // 0 at `low`, 1 at `high`, kept within.
  double position(double value) const;
  std::vector<double> ticks() const;
};

// A scale of about `count` ticks that covers [low, high]. From zero when that takes less than twice the room and
// nothing is negative: heights of counts are then comparable. Equal bounds are widened to hold one tick on either side.
Scale nice_scale(double low, double high, int count);

}  // namespace chronoveil::report
