// Where the members of a union are among the coordinates of its costs: sum, gaussian, gaussian with each reserve, then
// renyi at each order.
#pragma once

#include "chronoveil/ledger/filters/filter.h"

namespace chronoveil::ledger {

inline constexpr std::int64_t kWhole = 100;  // hundredths
inline constexpr std::size_t kSum = 0, kGaussian = 1;

inline std::size_t first_order(const Filter& filter) { return kGaussian + 1 + filter.reserves.size(); }

}  // namespace chronoveil::ledger
