#include "chronoveil/mechanisms/cells/baseline.h"

#include <numeric>

#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/mechanisms/cells/parts/cell_noise.h"
#include "chronoveil/mechanisms/cells/parts/grouping.h"

namespace chronoveil::mechanisms {
namespace {

Result<CellsPlan> plan_of(const CellRequest& request) {
  CV_TRY(const Checked checked, check_request(request, baseline()));
  return with_noise(request, baseline(), checked);
}

double records(UserCounts counts) { return std::accumulate(counts.begin(), counts.end(), 0.0); }

Result<CellFacts> cell_facts(const CellsPlan& plan, UserCounts counts) {
  CellFacts facts;
  facts.users = static_cast<std::int64_t>(counts.size());
  facts.sensitivity = range_of(plan) * counts.front() / records(counts);
  return with_expected_noise(plan, std::move(facts));
}

Result<CellEstimate> measure_cell(const CellsPlan& plan, const bound::CellView& cell, Draws& draws) {
  const auto sum = std::accumulate(cell.values.begin(), cell.values.end(), std::uint64_t{0});
  const double step = step_of(plan);
  CV_TRY(const NoisySum noisy,
         noisy_sum(plan, sum, Int128{cell.upper_steps} * cell.counts.front(), records(cell.counts), step, draws));
  return estimate_of(plan, noisy, step);
}

}  // namespace

const CellMechanism& baseline() {
  static const CellMechanism row{
      .name = "baseline",
      .summary = "noise on the mean of all values, for all that one person can change",
      .has_gaussian = true,
      .can_be_smoothed = true,
      .parameters = {noise_parameter()},
      .prepare = plan_of,
      .look = cell_facts,
      .measure = measure_cell,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
