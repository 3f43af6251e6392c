// Cells of a release merged for drawing: which slots share a column, and what the cells of some places and slots say.
// Made from published values only.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "chronoveil/base/means_release.h"

namespace chronoveil::report {

// The mean of the published means, and of the ends of their intervals; for one cell, its own.
//   Edges   nothing published: all three are NaN
struct CellSummary {
  std::int64_t published = 0, empty = 0, sparse = 0;
  double mean = std::numeric_limits<double>::quiet_NaN();
  double lower = std::numeric_limits<double>::quiet_NaN();
  double upper = std::numeric_limits<double>::quiet_NaN();
};
CellSummary summary_of(const MeansRelease&, std::span<const std::size_t> places, std::span<const std::size_t> slots);

// Whether the intervals are, on average, wider than half the range of a value: then the mean says little.
bool is_vague(const CellSummary&, const MeansRelease&);

// What a reader is told about merged cells, not yet escaped: "21.3 (95 % interval 18.2 to 24.4)", "21.3, mean of 24
// cells (intervals ± 3.1)", "nobody there", "too few to publish".
std::string words_of(const CellSummary&, const MeansRelease&);

struct SlotColumn {
  std::string text;  // "06:00", "1 Mar"
  std::vector<std::size_t> slots;
};
struct SlotColumns {
  enum class By { slot, hour_of_day, stretch } by = By::slot;
  std::vector<SlotColumn> all;
};
// At most 24: the slots themselves; else the hours of the day in the zone of the release, where slots are shorter than
// a day; else stretches of the period.
SlotColumns columns_of(const SlotAxis&);

inline constexpr std::size_t kMostSlotColumns = 24;

}  // namespace chronoveil::report
