#include "chronoveil/mechanisms/cells/levy.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/mechanisms/cells/parts/array_means.h"
#include "chronoveil/mechanisms/cells/parts/cell_noise.h"

namespace chronoveil::mechanisms {
namespace {

double charge() { return noise::charge_of_log_weights(kLogWeightError); }

// What a log weight loses per array mean below or above the bin.
double rate(double share) { return share / 2 / 2; }

Result<CellsPlan> plan_of(const CellRequest& request) {
  return with_choices(request, levy(), {.count = 1, .part = 0.5, .charge = charge()});
}

Result<CellFacts> cell_facts(const CellsPlan& plan, std::span<const std::uint32_t> counts) {
  CV_TRY(const std::int64_t upper, upper_steps(plan));
  Arrays arrays = arrays_of(plan, counts);
  const LevyBins bins(upper, arrays.count(), arrays.m_ub);
  std::int64_t widest = 0;
  for (std::int64_t s = 0; s < bins.count(); ++s) widest = std::max(widest, bins.around(s).b - bins.around(s).a);
  const auto sensitivity = static_cast<double>(widest);
  return facts_of(plan, std::move(arrays), static_cast<std::int64_t>(counts.size()), sensitivity, sensitivity);
}

Result<CellEstimate> measure_cell(const CellsPlan& plan, const bound::CellView& cell, Draws& draws) {
  CV_CHECK(check_choices(plan, 1, rate(plan.share), charge()));
  const Arrays arrays = arrays_of(plan, cell.counts);
  const std::vector<std::uint32_t> means = array_means(cell, arrays.grouped, arrays.m_ub);
  const LevyBins bins(cell.upper_steps, arrays.count(), arrays.m_ub);
  CV_TRY(const noise::Choice bin, draws.choose(levy_log_weights(bins, means, plan.share), kLogWeightError));
  return release_clamped(plan, means, bins.around(bin.chosen), draws);
}

}  // namespace

LevyBins::LevyBins(std::int64_t upper, std::int64_t arrays, std::int64_t m_ub) : upper_(upper) {
  const double relative =
      std::sqrt(std::log(2 * static_cast<double>(arrays) / 0.2) / (2 * static_cast<double>(m_ub)));  // τ / U
  width_ = static_cast<double>(upper) * relative;
  const auto count = static_cast<std::int64_t>(std::ceil(1 / relative));
  for (std::int64_t s = 0; s < count; ++s)
    firsts_.push_back(std::min(upper, static_cast<std::int64_t>(std::ceil(static_cast<double>(s) * width_))));
  firsts_.push_back(upper + 1);
}

Interval LevyBins::around(std::int64_t s) const {
  const auto bin = static_cast<double>(s);
  return {std::max<std::int64_t>(0, static_cast<std::int64_t>(std::floor((bin - 1) * width_))),
          std::min(upper_, static_cast<std::int64_t>(std::ceil((bin + 2) * width_)))};
}

std::vector<double> levy_log_weights(const LevyBins& bins, std::vector<std::uint32_t> means, double share) {
  std::sort(means.begin(), means.end());
  const auto below = [&](std::int64_t step) {
    return std::lower_bound(means.begin(), means.end(), step) - means.begin();
  };
  std::vector<double> log_weights;
  log_weights.reserve(static_cast<std::size_t>(bins.count()));
  for (std::int64_t s = 0; s < bins.count(); ++s) {
    const std::int64_t above = static_cast<std::int64_t>(means.size()) - below(bins.first(s + 1));
    const std::int64_t missed = std::max<std::int64_t>(below(bins.first(s)), above);
    log_weights.push_back(log_weight(rate(share), static_cast<double>(missed)));
  }
  return log_weights;
}

const CellMechanism& levy() {
  static const CellMechanism row{
      .name = "levy",
      .summary = "finds the bin where the array means are, and adds noise to their mean in and around it",
      .parameters = {m_ub_parameter(), grouping_parameter()},
      .prepare = plan_of,
      .look = cell_facts,
      .measure = measure_cell,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
