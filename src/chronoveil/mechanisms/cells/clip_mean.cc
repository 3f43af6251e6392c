#include "chronoveil/mechanisms/cells/clip_mean.h"

#include <algorithm>
#include <numeric>

#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/mechanisms/cells/parts/cell_noise.h"
#include "chronoveil/mechanisms/cells/parts/grouping.h"

namespace chronoveil::mechanisms {
namespace {

Result<CellsPlan> plan_of(const CellRequest& request) {
  CV_TRY(const Checked checked, check_request(request, clip_mean()));
  return with_noise(request, clip_mean(), checked);
}

Result<CellFacts> cell_facts(const CellsPlan& plan, UserCounts counts) {
  CellFacts facts;
  facts.users = static_cast<std::int64_t>(counts.size());
  facts.m_ub = m_ub_of(plan, counts);
  const auto most = static_cast<double>(std::min<std::int64_t>(facts.m_ub, counts.front()));
  facts.sensitivity = range_of(plan) * most / static_cast<double>(kept_records(counts, facts.m_ub));
  return with_expected_noise(plan, std::move(facts));
}

Result<CellEstimate> measure_cell(const CellsPlan& plan, const bound::CellView& cell, Draws& draws) {
  const std::int64_t m_ub = m_ub_of(plan, cell.counts);
  std::uint64_t sum = 0;
  std::size_t first = 0;
  for (const std::uint32_t count : cell.counts) {
    const auto kept = cell.values.subspan(first, static_cast<std::size_t>(std::min<std::int64_t>(count, m_ub)));
    sum = std::accumulate(kept.begin(), kept.end(), sum);
    first += count;
  }
  const Int128 sensitivity = Int128{cell.upper_steps} * std::min<std::int64_t>(m_ub, cell.counts.front());
  const double step = step_of(plan);
  CV_TRY(const NoisySum noisy,
         noisy_sum(plan, sum, sensitivity, static_cast<double>(kept_records(cell.counts, m_ub)), step, draws));
  return estimate_of(plan, noisy, step);
}

}  // namespace

const CellMechanism& clip_mean() {
  static const CellMechanism row{
      .name = "clip_mean",
      .summary = "noise on the mean of the first values of every person, as many as a bound says",
      .has_gaussian = true,
      .can_be_smoothed = true,
      .parameters = {m_ub_parameter(), noise_parameter()},
      .prepare = plan_of,
      .look = cell_facts,
      .measure = measure_cell,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
