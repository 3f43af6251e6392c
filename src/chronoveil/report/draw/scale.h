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

// A scale of about `count` ticks that covers [low, high]. It starts at zero if nothing is negative and this takes less
// than twice the room: heights of counts are then comparable. Equal bounds are widened to hold one tick on either side.
Scale nice_scale(double low, double high, int count);

// Powers of ten, for when small numbers matter. Zero and negative numbers lie at the bottom.
struct LogScale {
  int low = -1, high = 0;  // exponents; low < high

  // 0 at 10^low, 1 at 10^high, kept within.
  double position(double value) const;
  // At most `most` powers of ten, the greatest included.
  std::vector<double> ticks(int most) const;
};

// Covers [low, high], both positive; at most 15 powers of ten below `high`, so that what is next to nothing does not
// flatten the rest.
LogScale log_scale(double low, double high);

}  // namespace chronoveil::report
