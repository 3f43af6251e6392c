#include "chronoveil/mechanisms/cells/sum_over_count.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/mechanisms/cells/parts/cell_noise.h"
#include "chronoveil/mechanisms/parts/calibrated.h"

namespace chronoveil::mechanisms {
namespace {

constexpr int kCountBits = 20;  // a record is 2^20 steps of the count's grid

Result<CellsPlan> plan_of(const CellRequest& request) {
  CV_TRY(const Checked checked, check_request(request, sum_over_count()));
  if (!checked.shape.max_records)
    return fail(ErrorKind::usage, "means.max_records",
                "it is missing; sum_over_count needs the most records of a person in a cell");
  return with_noise(request, sum_over_count(), checked);
}

// The sum's sensitivity over the number of records. The count's noise moves the mean as well: by half the range per
// record if values lie in the middle.
Result<CellFacts> cell_facts(const CellsPlan& plan, std::span<const std::uint32_t> counts) {
  CellFacts facts;
  facts.users = static_cast<std::int64_t>(counts.size());
  facts.m_ub = *plan.shape.max_records;
  const auto most = static_cast<double>(facts.m_ub);
  double records = 0;
  for (const std::uint32_t count : counts) records += std::min<double>(count, most);
  facts.sensitivity = range_of(plan) * most / records;
  facts = with_expected_noise(plan, std::move(facts));
  facts.expected_noise *= 1.5;
  return facts;
}

Result<CellEstimate> measure_cell(const CellsPlan& plan, const bound::CellView& cell, Draws& draws) {
  const auto m_ub = static_cast<std::uint64_t>(*plan.shape.max_records);
  const double step = step_of(plan);
  const auto total = std::accumulate(cell.values.begin(), cell.values.end(), std::uint64_t{0});
  CV_TRY(const NoisySum sum, noisy_sum(plan, total, Int128{cell.upper_steps} * m_ub, 1, step, draws));
  CV_TRY(const NoisySum count, noisy_sum(plan, Int128{static_cast<std::uint64_t>(cell.values.size())} << kCountBits,
                                         Int128{m_ub} << kCountBits, std::ldexp(1.0, kCountBits), 1, draws));
  if (!(count.value >= static_cast<double>(plan.shape.sparse_below)))
    return CellEstimate{.state = CellEstimate::State::sparse};

  const double level = 1 - (1 - plan.level) / 2;
  const double around_sum = noise_half_width(plan.noise, sum.scale, level);
  const double around_count = noise_half_width(plan.noise, count.scale, level);
  // A mean has at least one record, so smaller counts are left out of the box.
  const double least = std::max(1.0, count.value - around_count), most = count.value + around_count;
  const double low = sum.value - around_sum, high = sum.value + around_sum;
  const auto mean = [&](double steps) { return plan.shape.lower + steps * step; };
  return CellEstimate{CellEstimate::State::published, mean(sum.value / count.value),
                      mean(low / (low < 0 ? least : most)), mean(high / (high < 0 ? most : least))};
}

}  // namespace

const CellMechanism& sum_over_count() {
  static const CellMechanism row{
      .name = "sum_over_count",
      .summary = "a noisy sum over a noisy count; who was where and when is protected too",
      .relation = Relation::add_remove,
      .public_counts = false,
      .has_gaussian = true,
      .sums = 2,
      .parameters = {noise_parameter()},
      .prepare = plan_of,
      .look = cell_facts,
      .measure = measure_cell,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
