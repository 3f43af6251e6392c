// Groups the records of many users into arrays of one length, so that one user moves one array [Gupta24, III-A]. Counts
// are the m_l of one cell, most first, each at least 1; ties were broken by identifier before (bounded_cells.h).
// Everything here is a function of public counts.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace chronoveil::mechanisms {

using UserCounts = std::span<const std::uint32_t>;

enum class Grouping { best_fit, wrap_around };

// The ceil(L/2)-th largest m_l [Gupta24, Lemma III.2].
std::int64_t median_m_ub(UserCounts);

// The integer m in [min m_l, max m_l] that maximises Σ min(m_l, m) / √m, ties to the smallest [Gupta24, (1)]. Between
// two neighbouring values of m_l the sum is A/√m + B√m, which has no maximum inside: so only the m_l themselves are
// compared, exactly, as (Σ min)² / m in integers.
std::int64_t optimised_m_ub(UserCounts);

// Σ min(m_l, m_ub)
std::int64_t kept_records(UserCounts, std::int64_t m_ub);

// Users with m_l >= m_ub fill an array each. Every other user goes, in order, to the fullest array of such users that
// still has room (ties to the least index), else opens a new one. Nobody is in two arrays.
struct BestFit {
  std::vector<std::uint32_t> array_of;  // of each user
  std::vector<std::uint32_t> fills;     // w of each array, min(m_l, m_ub) summed; K̄ of them
};
BestFit best_fit(UserCounts, std::int64_t m_ub);

// Samples laid end to end into arrays of length m_ub; only the full ones are kept: K = floor(Σ min(m_l, m_ub) / m_ub).
std::int64_t full_arrays(UserCounts, std::int64_t m_ub);

}  // namespace chronoveil::mechanisms
