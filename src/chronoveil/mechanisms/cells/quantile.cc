#include "chronoveil/mechanisms/cells/quantile.h"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <numbers>
#include <utility>

#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/mechanisms/cells/parts/array_means.h"
#include "chronoveil/mechanisms/cells/parts/cell_noise.h"

namespace chronoveil::mechanisms {
namespace {

double charge() { return noise::charge_of_grid_points(kLogWeightError); }

Result<CellsPlan> plan_of(const CellRequest& request, const CellMechanism& mechanism) {
  const double times = request.analysis == accounting::Analysis::published ? 2 : 1;
  return with_choices(request, mechanism, {.count = 2, .part = 0.25, .charge = charge(), .times = times});
}
Result<CellsPlan> prepare_fixed(const CellRequest& request) { return plan_of(request, fixed_quantile()); }
Result<CellsPlan> prepare_epsilon(const CellRequest& request) { return plan_of(request, epsilon_quantile()); }

// A guess of b − a in units of U, for recommendations alone. Means of m_ub independent values in [0, U] have a standard
// deviation of at most U / (2√m_ub): their quantiles α and 1 − α are then z / √m_ub apart, with the z of a normal law.
// Added is the chance that one of the two falls outside all array means, somewhere in [0, U]: the weight there is
// exp(−rate × rank), against 2 / rate times the typical gap between two neighbours, of which there are K̄ at most.
double expected_width(const CellsPlan& plan, const Arrays& arrays) {
  const auto spread = [&](double alpha) {
    return std::numbers::sqrt2 * boost::math::erf_inv(1 - 2 * alpha) / std::sqrt(static_cast<double>(arrays.m_ub));
  };
  const Rank low = ranks_of(plan, arrays.count()).low;
  const auto count = static_cast<double>(arrays.count());
  const double rank = static_cast<double>(low.numerator) / static_cast<double>(low.denominator);
  const double rate = quantile_rate(plan);
  const double outside = std::exp(-rate * rank);
  const double inside = spread(0.1) * std::min(1.0, 2 / (rate * count));
  return std::min(1.0, spread(rank / count) + outside / (outside + inside));
}

Result<CellFacts> cell_facts(const CellsPlan& plan, std::span<const std::uint32_t> counts) {
  CV_TRY(const std::int64_t upper, upper_steps(plan));
  Arrays arrays = arrays_of(plan, counts);
  const auto widest = static_cast<double>(upper);
  const double expected = widest * expected_width(plan, arrays);
  return facts_of(plan, std::move(arrays), static_cast<std::int64_t>(counts.size()), widest, expected);
}

Result<CellEstimate> measure_cell(const CellsPlan& plan, const bound::CellView& cell, Draws& draws) {
  CV_CHECK(check_choices(plan, 2, quantile_rate(plan), charge()));
  const Arrays arrays = arrays_of(plan, cell.counts);
  std::vector<std::uint32_t> means = array_means(cell, arrays.grouped, arrays.m_ub);
  std::sort(means.begin(), means.end());
  const auto choose = [&](const Rank& rank) {
    return draws.choose(quantile_intervals(means, cell.upper_steps, rank, quantile_rate(plan)), kLogWeightError);
  };
  const Ranks ranks = ranks_of(plan, arrays.count());
  CV_TRY(const noise::Choice low, choose(ranks.low));
  CV_TRY(const noise::Choice high, choose(ranks.high));
  const auto [a, b] = std::minmax(low.chosen, high.chosen);
  return release_clamped(plan, means, {a, b}, draws);
}

}  // namespace

Ranks fixed_ranks(std::int64_t arrays) { return {{arrays, 10}, {9 * arrays, 10}}; }

Ranks epsilon_ranks(std::int64_t arrays, double share) {
  // The share was rounded down, which must not raise a whole 2/ε to the next integer.
  const double wanted = std::ceil(2 / share * (1 - 0x1p-40));
  if (2 * wanted >= static_cast<double>(arrays)) return {{arrays, 2}, {arrays, 2}};
  const auto rank = static_cast<std::int64_t>(wanted);
  return {{rank, 1}, {arrays - rank, 1}};
}

Ranks ranks_of(const CellsPlan& plan, std::int64_t arrays) {
  return plan.mechanism == fixed_quantile().name ? fixed_ranks(arrays) : epsilon_ranks(arrays, plan.share);
}

double quantile_rate(const CellsPlan& plan) {
  const double part = plan.share / 4;
  return plan.price.analysis == accounting::Analysis::published ? part : part / 2;
}

std::vector<noise::WeightedInterval> quantile_intervals(std::span<const std::uint32_t> sorted_means, std::int64_t upper,
                                                        const Rank& rank, double rate) {
  const auto arrays = static_cast<std::int64_t>(sorted_means.size());
  std::vector<noise::WeightedInterval> intervals;
  intervals.reserve(sorted_means.size() + 1);
  std::int64_t first = 0;
  for (std::int64_t i = 0; i <= arrays; ++i) {
    const std::int64_t next = i < arrays ? sorted_means[static_cast<std::size_t>(i)] : upper;
    if (first < next) {
      const auto off = static_cast<double>(std::abs(rank.denominator * i - rank.numerator));
      intervals.push_back({first, next - 1, log_weight(rate, off / static_cast<double>(rank.denominator))});
    }
    first = next;
  }
  return intervals;
}

const CellMechanism& fixed_quantile() {
  static const CellMechanism row{
      .name = "fixed_quantile",
      .summary = "finds the 10 % and 90 % quantiles of the array means, and adds noise to their mean between these",
      .has_published = true,
      .parameters = {m_ub_parameter(), grouping_parameter()},
      .prepare = prepare_fixed,
      .look = cell_facts,
      .measure = measure_cell,
  };
  return row;
}

const CellMechanism& epsilon_quantile() {
  static const CellMechanism row{
      .name = "epsilon_quantile",
      .summary = "finds quantiles of the array means that depend on ε, and adds noise to their mean between these",
      .has_published = true,
      .parameters = {m_ub_parameter(), grouping_parameter()},
      .prepare = prepare_epsilon,
      .look = cell_facts,
      .measure = measure_cell,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
