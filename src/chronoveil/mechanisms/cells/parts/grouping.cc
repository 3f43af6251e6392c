#include "chronoveil/mechanisms/cells/parts/grouping.h"

#include <algorithm>
#include <set>
#include <utility>

#include "chronoveil/noise/uniform.h"

namespace chronoveil::mechanisms {
namespace {

using noise::Uint128;

// The arrays that have room, by fill and then by index, the least last: the fullest that fits precedes an upper bound.
struct Open {
  std::uint32_t fill, index;
  bool operator<(const Open& other) const { return fill != other.fill ? fill < other.fill : index > other.index; }
};

}  // namespace

std::int64_t median_m_ub(UserCounts counts) { return counts[(counts.size() + 1) / 2 - 1]; }

std::int64_t optimised_m_ub(UserCounts counts) {
  std::int64_t best = 0;
  Uint128 best_sum = 0;
  std::uint64_t below = 0;  // Σ m_l of the users with fewer than m
  // From the smallest m_l up, so that ties stay with the smallest.
  for (std::size_t end = counts.size(); end > 0;) {
    const std::uint64_t m = counts[end - 1];
    std::size_t first = end;
    while (first > 0 && counts[first - 1] == m) --first;
    const Uint128 sum = below + m * static_cast<std::uint64_t>(end);
    // sum² / m > best_sum² / best, in integers: sums are below 2^47, for there is no memory for more records.
    if (best == 0 || sum * sum * static_cast<std::uint64_t>(best) > best_sum * best_sum * m) {
      best = static_cast<std::int64_t>(m);
      best_sum = sum;
    }
    below += m * static_cast<std::uint64_t>(end - first);
    end = first;
  }
  return best;
}

std::int64_t kept_records(UserCounts counts, std::int64_t m_ub) {
  std::int64_t sum = 0;
  for (const std::uint32_t count : counts) sum += std::min<std::int64_t>(count, m_ub);
  return sum;
}

BestFit best_fit(UserCounts counts, std::int64_t m_ub) {
  BestFit grouped;
  grouped.array_of.reserve(counts.size());
  const auto open_new = [&](std::uint32_t fill) {
    grouped.array_of.push_back(static_cast<std::uint32_t>(grouped.fills.size()));
    grouped.fills.push_back(fill);
  };
  std::set<Open> with_room;
  for (const std::uint32_t count : counts) {
    if (count >= m_ub) {
      open_new(static_cast<std::uint32_t>(m_ub));
      continue;
    }
    const auto room = static_cast<std::uint32_t>(m_ub - count);  // the largest fill that leaves enough
    auto found = with_room.upper_bound(Open{room, 0});
    if (found == with_room.begin()) {
      with_room.insert({count, static_cast<std::uint32_t>(grouped.fills.size())});
      open_new(count);
      continue;
    }
    auto node = with_room.extract(--found);
    const std::uint32_t index = node.value().index;
    grouped.array_of.push_back(index);
    grouped.fills[index] += count;
    if (grouped.fills[index] == m_ub) continue;
    node.value().fill = grouped.fills[index];
    with_room.insert(std::move(node));
  }
  return grouped;
}

std::int64_t full_arrays(UserCounts counts, std::int64_t m_ub) { return kept_records(counts, m_ub) / m_ub; }

}  // namespace chronoveil::mechanisms
