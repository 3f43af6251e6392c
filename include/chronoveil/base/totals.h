// Sums of the cells of a release, over series and over time, each with an interval of its own. Which sums there are
// follows from public facts only: the list of series and its groups, the span, the slots and the zone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace chronoveil {

// Stretches of whole slots: the steps first[i] <= t < end[i].
struct Periods {
  std::string per;  // "span", "month", "week", "day" or "slot"
  std::vector<std::int64_t> first, end;
};

// What some series add up to, in each of some periods.
struct Sums {
  std::string of;           // "all", "group" or "series"
  std::string name;         // of the group or the series; empty for all
  std::size_t periods = 0;  // which of them
  std::vector<double> value, lower, upper;
};

struct Totals {
  std::vector<Periods> periods;
  std::vector<Sums> sums;
};

}  // namespace chronoveil
