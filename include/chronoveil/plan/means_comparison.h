// Which mechanism for means per cell: every row of the catalogue, prepared for one request and examined for public
// counts, with a recommendation by regime. No data.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chronoveil/mechanisms/cell_mechanism.h"

namespace chronoveil::plan {

// What is known in public about the records of a cell.
//   counts   the m_l of a typical cell, in any order, each at least 1; more than max_records count as max_records, as
//            they do when records are read
//   users    without counts: this many people with max_records each, the most that the caps allow
struct PublicCounts {
  std::vector<std::uint32_t> counts;
  std::optional<std::int64_t> users;
};

// The most people in a cell of a comparison.
inline constexpr std::int64_t kMostUsers = 10'000'000;

struct MeansCandidate {
  std::string mechanism;  // a name of the catalogue
  std::string variant;    // "wrap_around" for array_averaging beside its best-fit row; else empty
  std::optional<mechanisms::CellsPlan> plan;
  mechanisms::CellFacts facts;  // when there is a plan
  Error refusal;                // when there is none
  bool as_asked = true;         // false: a parameter of the request was left out, since the mechanism has none such
};

struct MeansComparison {
  std::vector<std::uint32_t> counts;  // as compared, most first
  bool from_caps = false;             // made up from caps
  std::int64_t records = 0;           // Σ m_l
  std::int64_t m_ub_median = 0, m_ub_optimised = 0;
  // For the request's m_ub, by default the optimised one:
  std::int64_t m_ub = 0;
  std::int64_t arrays_best_fit = 0;     // K̄
  std::int64_t arrays_wrap_around = 0;  // K
  std::vector<std::uint32_t> fills;     // of the best-fit arrays
  // In the order of the catalogue; array_averaging twice, first with the request's grouping (by default best_fit). The
  // recommended one is the first with a plan that has the recommended name.
  std::vector<MeansCandidate> candidates;
  std::string recommended;  // a mechanism's name
  std::string regime;       // see means_recommendation.h
  std::string reason;       // one or two sentences
};

// `counts_public`: if false, only mechanisms that protect the counts, too. Parameters that a mechanism does not know
// are left out for it, and it is not recommended if another one fits. Refused: no counts and no users, users without
// max_records, a count of 0, more than kMostUsers; a parameter that no mechanism knows; a request that no mechanism
// fits.
Result<MeansComparison> compare_means(const mechanisms::CellRequest&, const PublicCounts&, bool counts_public);

}  // namespace chronoveil::plan
