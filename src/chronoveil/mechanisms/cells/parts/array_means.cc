#include "chronoveil/mechanisms/cells/parts/array_means.h"

#include <algorithm>

namespace chronoveil::mechanisms {

std::vector<std::uint32_t> array_means(const bound::CellView& cell, const BestFit& arrays, std::int64_t m_ub) {
  // An array holds fewer than 2^32 values of at most 2^30 steps each, so sums stay below 2^62.
  std::vector<std::uint64_t> sums(arrays.fills.size(), 0);
  std::size_t first = 0;
  for (std::size_t user = 0; user < cell.counts.size(); ++user) {
    const auto kept = static_cast<std::size_t>(std::min<std::int64_t>(cell.counts[user], m_ub));
    std::uint64_t& sum = sums[arrays.array_of[user]];
    for (const std::uint32_t value : cell.values.subspan(first, kept)) sum += value;
    first += cell.counts[user];
  }
  std::vector<std::uint32_t> means(sums.size());
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const std::uint64_t fill = arrays.fills[i];
    means[i] = static_cast<std::uint32_t>((2 * sums[i] + fill) / (2 * fill));
  }
  return means;
}

}  // namespace chronoveil::mechanisms
