// The facade for jobs of means per place and slot: the same steps as for counts, in the same order.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/engine/release/checked_job.h"
#include "chronoveil/engine/release/run_options.h"
#include "chronoveil/mechanisms/cell_mechanism.h"
#include "chronoveil/plan/means_comparison.h"
#include "chronoveil/report/means/published.h"

namespace chronoveil::engine {

// From public facts only. `comparison` is set when every candidate was priced: on request, and whenever the job leaves
// the choice to us. It needs public counts, or users and max_records.
struct MeansPlanned {
  SlotAxis axis;
  std::vector<std::string> places;
  std::optional<PlaceGrid> grid;
  mechanisms::CellRequest request;
  std::optional<plan::MeansComparison> comparison;
  mechanisms::CellsPlan chosen;
  Guarantee guarantee;  // that a release by the chosen mechanism carries
  std::string reason;
  std::string tells_nothing;  // as in Planned
  std::string outlook;        // how wide an interval would be in a typical cell, where nothing else says it
  std::vector<std::string> not_protected;  // sentences
};
Result<MeansPlanned> plan_means(const Job&, Compare = Compare::always);

using MeansChecked = CheckedJob<MeansPlanned>;
Result<MeansChecked> check_means_job(const Job&, const RunOptions&, bool read_data);

Result<report::MeansPublished> run_means(const Job&, const RunOptions&);
Result<report::MeansPublished> run_means_again(const Job&, const std::string& debit, const RunOptions&);

// "5,3,2", or the name of a file with whole numbers separated by white space or commas: records of each person.
// `path` becomes the file's, relative to the folder of the job; empty for a list.
Result<std::vector<std::uint32_t>> read_counts(std::string_view key, const std::string& text, const std::string& job,
                                               std::string& path);

// Reveals the data.
Result<report::MeansEvaluation> evaluate_means(const Job&, std::string_view release_json);

}  // namespace chronoveil::engine
