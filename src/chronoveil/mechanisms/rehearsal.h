// A release made only to see how good it would be: counts that the caller declares public go through a plan's own
// measurement and reconstruction, with seeded draws. No private data, no debit, no receipt.
#pragma once

#include <cstdint>
#include <span>

#include "chronoveil/mechanisms/live.h"
#include "chronoveil/mechanisms/series_mechanism.h"
#include "chronoveil/mechanisms/sums.h"

namespace chronoveil::mechanisms {

// `public_counts` are series-major in the shape of the plan, each in [0, maximum]. The same seed gives the same values.
Result<Estimate> rehearse(const SeriesPlan&, std::span<const std::int64_t> public_counts, std::uint64_t seed);
// The same with what its sums are made of.
Result<Summed> rehearse_summed(const SeriesPlan&, std::span<const std::int64_t> public_counts, std::uint64_t seed);
// The same as it is published step by step; see live.h.
Result<LiveReplay> rehearse_live(const SeriesPlan&, std::span<const std::int64_t> public_counts, std::uint64_t seed);

}  // namespace chronoveil::mechanisms
