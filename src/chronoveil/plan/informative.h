// Whether a release would say anything, from public facts alone: what it says depends on its noise, not on the data.
#pragma once

#include <cstdint>
#include <vector>

#include "chronoveil/mechanisms/cell_mechanism.h"
#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::plan {

// People in a cell, or in a slot of one series, where nothing public says how many: more than most have, so that only
// what would say nothing even there is refused. A job says better (`plan.users`).
inline constexpr std::int64_t kPeopleUnsaid = 10'000;

// What an interval would be, and what is known without any release.
struct Informative {
  double half_width = 0;  // expected, of an interval at the level of the plan
  double range = 0;       // public: the largest count that is to be expected, or upper - lower
  bool holds() const { return half_width < range; }
};

// The largest count to be expected of this many people: max_per_slot of each, and never above the maximum.
std::int64_t largest_count(const mechanisms::PublicShape&, std::int64_t people);

// Of the intervals of a series whose counts all are half of the largest: nothing is easier to smooth. If the noise of
// one step already leaves an interval narrower than the range, half_width is that of one step, and nothing is tried.
//   Edges   where a step estimates a total, the range is that of the last total
Result<Informative> informative(const mechanisms::SeriesPlan&, std::int64_t people);

// Of a cell in which people have these numbers of records, most first, at least one.
Result<Informative> informative(const mechanisms::CellsPlan&, const std::vector<std::uint32_t>& counts);

}  // namespace chronoveil::plan
