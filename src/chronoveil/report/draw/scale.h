// An axis: a range with round ticks.
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

// Powers of ten, for numbers of which the small ones matter. Zero and what is below lie at the bottom.
struct LogScale {
  int low = -1, high = 0;  // exponents; low < high

  // 0 at 10^low, 1 at 10^high, kept within.
  double position(double value) const;
  // Powers of ten, not more than `most`, the greatest among them.
  std::vector<double> ticks(int most) const;
};

// Covers [low, high], both positive; at most 15 powers of ten below `high`, so that what is next to nothing does not
// flatten the rest.
LogScale log_scale(double low, double high);

}  // namespace chronoveil::report
