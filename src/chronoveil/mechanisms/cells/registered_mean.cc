#include "chronoveil/mechanisms/cells/registered_mean.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/mechanisms/cells/parts/cell_noise.h"

namespace chronoveil::mechanisms {
namespace {

constexpr double kUp = 1 + 4 * std::numeric_limits<double>::epsilon();

// a, in whole steps: what somebody who is not there contributes.
std::uint32_t absent_steps(const CellShape& shape, const Parameters& parameters) {
  const auto grid = bound::ValueGrid::make(shape.lower, shape.upper);
  const std::optional<double> given = auto_or_number(parameters, "absent");
  std::int64_t outside = 0;
  return given ? grid->to_steps(*given, outside) : grid->upper_steps() / 2;
}

// The largest of w/U and what it becomes when sums are rounded to 2^j steps, for j up to `coarsest`.
double largest_part(std::uint32_t w, std::uint32_t upper, int coarsest) {
  double part = 0;
  for (int j = 0; j <= coarsest; ++j) {
    const auto rounded_up = [&](std::uint64_t steps) {
      return static_cast<double>((steps + (std::uint64_t{1} << j) - 1) >> j);
    };
    part = std::max(part, rounded_up(w) / rounded_up(upper) * kUp);
  }
  return part;
}

Influence joint_influence(const CellShape& shape, double part) {
  const std::int64_t c = shape.max_cells;
  double l1 = 0, squared = 0;
  for (const std::int64_t k : {std::max<std::int64_t>(0, 2 * c - shape.cells()), c}) {
    const auto common = static_cast<double>(k), others = static_cast<double>(2 * (c - k));
    l1 = std::max(l1, common + others * part);
    squared = std::max(squared, common + others * part * part);
  }
  return {l1 * kUp, std::sqrt(squared) * kUp};
}

// More noise may need a coarser grid, which may need a little more noise again.
Result<CellsPlan> with_registered_noise(const CellRequest& request, const Checked& checked) {
  const std::uint32_t upper = bound::ValueGrid::make(checked.shape.lower, checked.shape.upper)->upper_steps();
  const std::uint32_t absent = absent_steps(checked.shape, checked.parameters);
  const std::uint32_t w = std::max(absent, upper - absent);
  for (int coarsest = 0;;) {
    const Influence influence = joint_influence(checked.shape, largest_part(w, upper, coarsest));
    CV_TRY(CellsPlan plan, with_noise(request, registered_mean(), checked, influence));
    const int needed = coarsening(plan, upper);
    if (needed <= coarsest) return plan;
    coarsest = needed;
  }
}

Result<CellsPlan> plan_of(const CellRequest& request) {
  CV_TRY(const Checked checked, check_request(request, registered_mean()));
  const CellShape& shape = checked.shape;
  if (!shape.registered)
    return fail(ErrorKind::usage, "means.registered",
                "it is missing; registered_mean needs the number of people who may be there");
  if (shape.sparse_below > *shape.registered)
    return invalid("means.sparse_below", std::to_string(shape.sparse_below),
                   "at most `means.registered`, " + std::to_string(*shape.registered) + ", or nothing is published");
  const std::optional<double> absent = auto_or_number(checked.parameters, "absent");
  if (absent && !(*absent >= shape.lower && *absent <= shape.upper))
    return invalid("mechanism.absent", *absent, "\"auto\" or a number between `means.lower` and `means.upper`");
  return with_registered_noise(request, checked);
}

Result<CellFacts> cell_facts(const CellsPlan& plan, std::span<const std::uint32_t> counts) {
  CellFacts facts;
  facts.users = static_cast<std::int64_t>(counts.size());
  facts.m_ub = plan.shape.max_records.value_or(0);
  facts.sensitivity = range_of(plan) / static_cast<double>(*plan.shape.registered);
  return with_expected_noise(plan, std::move(facts));
}

Result<CellEstimate> measure_cell(const CellsPlan& plan, const bound::CellView& cell, Draws& draws) {
  if (static_cast<std::int64_t>(cell.counts.size()) > *plan.shape.registered)
    return fail(ErrorKind::bad_data, "means.registered", "more people are in a cell than are registered");
  const std::uint32_t absent = absent_steps(plan.shape, plan.parameters);
  // Sums the differences from a: absent people drop out, and L may be large.
  Int128 sum = 0;
  std::size_t first = 0;
  for (const std::uint32_t count : cell.counts) {
    const auto own = cell.values.subspan(first, count);
    const auto total = std::accumulate(own.begin(), own.end(), std::uint64_t{0});
    sum += static_cast<std::int64_t>((2 * total + count) / (2 * std::uint64_t{count}));
    sum -= absent;
    first += count;
  }
  const double step = step_of(plan);
  CV_TRY(NoisySum noisy,
         noisy_sum(plan, sum, cell.upper_steps, static_cast<double>(*plan.shape.registered), step, draws));
  noisy.value += absent;
  return estimate_of(plan, noisy, step);
}

}  // namespace

const CellMechanism& registered_mean() {
  static const CellMechanism row{
      .name = "registered_mean",
      .summary = "noise on the mean over everybody registered; who was where and when is protected too",
      .relation = Relation::replace,
      .public_counts = false,
      .has_gaussian = true,
      .parameters = {{.name = "absent",
                      .meaning = "what somebody who is not there counts as; \"auto\" is the middle of the bounds",
                      .standard = std::string("auto"),
                      .or_number = true},
                     noise_parameter()},
      .prepare = plan_of,
      .look = cell_facts,
      .measure = measure_cell,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
