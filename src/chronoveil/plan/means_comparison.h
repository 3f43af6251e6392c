// Which mechanism for means per cell: every row of the catalogue prepared for one request and looked at for public
// counts, and a recommendation by regime. No data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chronoveil/mechanisms/cell_mechanism.h"

namespace chronoveil::plan {

// What is known in public about the records of a cell.
//   counts   the m_l of a typical cell, in any order, each at least 1
//   users    without counts: so many people with max_records each, as the caps allow at most
struct PublicCounts {
  std::vector<std::uint32_t> counts;
  std::optional<std::int64_t> users;
};

struct MeansCandidate {
  std::string mechanism;  // a name of the catalogue
  std::string variant;    // "wrap_around" for array_averaging beside its best-fit row; else empty
  std::optional<mechanisms::CellsPlan> plan;
  mechanisms::CellFacts facts;  // when there is a plan
  std::string refusal;          // when there is none
};

struct MeansComparison {
  std::vector<std::uint32_t> counts;  // as looked at, most first
  bool from_caps = false;             // made up from caps
  std::int64_t records = 0;           // Σ m_l
  std::int64_t m_ub_median = 0, m_ub_optimised = 0;
  // For the m_ub that the request names, the optimised one unless it does:
  std::int64_t m_ub = 0;
  std::int64_t arrays_best_fit = 0;     // K̄
  std::int64_t arrays_wrap_around = 0;  // K
  std::vector<std::uint32_t> fills;     // of the best-fit arrays
  std::vector<MeansCandidate> candidates;
  std::string recommended;  // a mechanism's name
  std::string regime;       // "many records a user", "many users", "few users", "counts are private", ...
  std::string reason;       // one sentence
};

// `counts_public`: false leaves only the mechanisms that protect the counts too. Parameters of the request that a
// mechanism does not know are left out for it. Refused: no counts and no users; a count of 0.
Result<MeansComparison> compare_means(const mechanisms::CellRequest&, const PublicCounts&, bool counts_public);

}  // namespace chronoveil::plan
