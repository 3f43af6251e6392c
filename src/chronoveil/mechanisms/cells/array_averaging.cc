#include "chronoveil/mechanisms/cells/array_averaging.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/mechanisms/cells/parts/array_means.h"
#include "chronoveil/mechanisms/cells/parts/cell_noise.h"
#include "chronoveil/mechanisms/cells/parts/grouping.h"

namespace chronoveil::mechanisms {
namespace {

bool wraps(const CellsPlan& plan) { return text(plan.parameters, "grouping") == "wrap_around"; }
bool is_published(const CellsPlan& plan) { return plan.price.analysis == accounting::Analysis::published; }

// The paper claims twice the true sensitivity: twice the noise, at the price of the claim.
Result<CellsPlan> as_published(CellsPlan plan) {
  plan.noise_multiplier *= 2;
  if (auto* e = std::get_if<accounting::Laplace>(&plan.event.kind)) e->noise_multiplier *= 2;
  if (auto* e = std::get_if<accounting::Gaussian>(&plan.event.kind)) e->noise_multiplier *= 2;
  plan.price.analysis = accounting::Analysis::published;
  plan.price.certificate = Certificate::as_published;
  return drawable(std::move(plan));
}

Result<CellsPlan> plan_of(const CellRequest& request) {
  CV_TRY(const Checked checked, check_request(request, array_averaging()));
  CV_TRY(CellsPlan plan, with_noise(request, array_averaging(), checked));
  if (request.analysis == accounting::Analysis::published && wraps(plan)) return as_published(std::move(plan));
  return plan;
}

Result<CellFacts> cell_facts(const CellsPlan& plan, UserCounts counts) {
  CellFacts facts;
  facts.users = static_cast<std::int64_t>(counts.size());
  facts.m_ub = m_ub_of(plan, counts);
  if (wraps(plan)) {
    facts.arrays = full_arrays(counts, facts.m_ub);
    facts.fills.assign(static_cast<std::size_t>(facts.arrays), static_cast<std::uint32_t>(facts.m_ub));
  } else {
    facts.fills = best_fit(counts, facts.m_ub).fills;
    facts.arrays = static_cast<std::int64_t>(facts.fills.size());
  }
  if (facts.arrays == 0) {  // nothing is published
    facts.expected_noise = std::numeric_limits<double>::infinity();
    return facts;
  }
  facts.sensitivity = range_of(plan) / static_cast<double>(facts.arrays);
  facts = with_expected_noise(plan, std::move(facts));
  if (is_published(plan)) facts.sensitivity *= 2;  // the noise includes it already
  return facts;
}

Result<CellEstimate> measure_best_fit(const CellsPlan& plan, const bound::CellView& cell, Draws& draws) {
  const std::int64_t m_ub = m_ub_of(plan, cell.counts);
  const std::vector<std::uint32_t> means = array_means(cell, best_fit(cell.counts, m_ub), m_ub);
  const auto sum = std::accumulate(means.begin(), means.end(), std::uint64_t{0});
  const double step = step_of(plan);
  CV_TRY(const NoisySum noisy, noisy_sum(plan, sum, cell.upper_steps, static_cast<double>(means.size()), step, draws));
  return estimate_of(plan, noisy, step);
}

Result<CellEstimate> measure_wrap_around(const CellsPlan& plan, const bound::CellView& cell, Draws& draws) {
  const std::int64_t m_ub = m_ub_of(plan, cell.counts);
  const std::int64_t in_full_arrays = full_arrays(cell.counts, m_ub) * m_ub;
  if (in_full_arrays == 0) return CellEstimate{.state = CellEstimate::State::sparse};
  std::uint64_t sum = 0;
  std::int64_t left = in_full_arrays;
  std::size_t first = 0;
  for (const std::uint32_t count : cell.counts) {
    const std::int64_t taken = std::min({std::int64_t{count}, m_ub, left});
    const auto kept = cell.values.subspan(first, static_cast<std::size_t>(taken));
    sum = std::accumulate(kept.begin(), kept.end(), sum);
    left -= taken;
    first += count;
  }
  const double step = step_of(plan);
  CV_TRY(const NoisySum noisy,
         noisy_sum(plan, sum, Int128{cell.upper_steps} * m_ub, static_cast<double>(in_full_arrays), step, draws));
  return estimate_of(plan, noisy, step);
}

Result<CellEstimate> measure_cell(const CellsPlan& plan, const bound::CellView& cell, Draws& draws) {
  return wraps(plan) ? measure_wrap_around(plan, cell, draws) : measure_best_fit(plan, cell, draws);
}

}  // namespace

const CellMechanism& array_averaging() {
  static const CellMechanism row{
      .name = "array_averaging",
      .summary = "noise on the mean of array means, one of which holds all that a person has",
      .has_published = true,
      .has_gaussian = true,
      .can_be_smoothed = true,
      .parameters = {m_ub_parameter(), grouping_parameter(), noise_parameter()},
      .prepare = plan_of,
      .look = cell_facts,
      .measure = measure_cell,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
