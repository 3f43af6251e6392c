// What a look asks, from public facts: lengths of slots, and bins.
#pragma once

#include <string>
#include <vector>

#include "chronoveil/engine/look/look.h"

namespace chronoveil::engine {

// Which slot of `longer` holds each slot of `axis`. Refused unless each is in one, whole.
Result<std::vector<std::uint32_t>> slots_in(const SlotAxis& axis, const SlotAxis& longer);

// Whole numbers from 1 to `most`, in bins that grow by half: 1, 2, 3, 4-5, 6-8, 9-12, 13-18, ...
void add_bins(std::int64_t most, report::LookQuestion&);

// The lengths that the options name, or the usual ones that fit.
struct LookLength {
  std::string length;
  SlotAxis axis;
  std::vector<std::uint32_t> holds;  // slots_in
};
Result<std::vector<LookLength>> lengths_of(const Job&, const SlotAxis&, const LookOptions&);

// The last bin of records ends here; what is beyond is in it.
inline constexpr std::int64_t kMostRecords = 10'000;

// Whether a job counts records or amounts, so that it matters how many one person has.
bool counts_records(const Job&);

}  // namespace chronoveil::engine
