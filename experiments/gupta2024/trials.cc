#include "gupta2024/trials.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/draws.h"
#include "each_trial.h"

namespace chronoveil::gupta2024 {
namespace {

using accounting::Analysis;

mechanisms::CellRequest request_for(const Dataset& dataset, const Contender& contender, double epsilon) {
  mechanisms::CellRequest request;
  request.shape.upper = kUpper;
  request.shape.max_records = contender.max_records;
  if (contender.mechanism == "registered_mean") request.shape.registered = dataset.registered;
  request.epsilon = epsilon;
  request.analysis = contender.analysis;
  request.parameters = contender.parameters;
  return request;
}

// What bounding would have left of the cell: the first records of everybody. The mean stays that of all.
Cell capped(const Cell& whole, std::int64_t most) {
  Cell cell{.counts = {}, .values = {}, .upper_steps = whole.upper_steps, .mean = whole.mean};
  auto first = whole.values.begin();
  for (const std::uint32_t count : whole.counts) {
    const std::int64_t kept = std::min<std::int64_t>(count, most);
    cell.counts.push_back(static_cast<std::uint32_t>(kept));
    cell.values.insert(cell.values.end(), first, first + kept);
    first += count;
  }
  return cell;
}

struct Run {
  double error = 0, bias = 0;  // means over the cells
};

}  // namespace

std::vector<Contender> for_public_counts() {
  return {
      {"baseline", "baseline"},
      {"clip_mean", "clip_mean"},
      {"clip_mean, median", "clip_mean", {{"m_ub", "median"}}},
      {"array_averaging", "array_averaging"},
      {"array_averaging, median", "array_averaging", {{"m_ub", "median"}}},
      {"array_averaging, wrap_around", "array_averaging", {{"grouping", "wrap_around"}}},
      {"array_averaging, wrap_around", "array_averaging", {{"grouping", "wrap_around"}}, Analysis::published},
      {"levy", "levy"},
      {"fixed_quantile", "fixed_quantile"},
      {"fixed_quantile", "fixed_quantile", {}, Analysis::published},
      {"epsilon_quantile", "epsilon_quantile"},
      {"epsilon_quantile", "epsilon_quantile", {}, Analysis::published},
  };
}

std::vector<Contender> for_private_counts(const Dataset& dataset) {
  std::vector<Contender> all;
  for (const char* mechanism : {"sum_over_count", "registered_mean"})
    for (const std::int64_t cap : dataset.caps)
      all.push_back({mechanism + (", at most " + std::to_string(cap)), mechanism, {}, Analysis::certified, cap});
  return all;
}

Result<Outcome> run_trials(const Dataset& dataset, const Contender& contender, double epsilon, int trials) {
  CV_TRY(const mechanisms::CellMechanism* mechanism, mechanisms::find_cell_mechanism(contender.mechanism));
  CV_TRY(const mechanisms::CellsPlan plan, mechanism->prepare(request_for(dataset, contender, epsilon)));
  std::vector<Cell> cells = dataset.cells;
  if (contender.max_records)
    for (Cell& cell : cells) cell = capped(cell, *contender.max_records);
  const auto number = static_cast<double>(cells.size());

  Outcome outcome;
  CV_TRY(const Delta pure, Delta::make(0));
  CV_TRY(const accounting::Price charged, accounting::epsilon_at(plan.event, pure));
  outcome.charged = charged.epsilon;
  for (const Cell& cell : cells) {
    CV_TRY(const mechanisms::CellFacts facts, mechanism->look(plan, cell.counts));
    outcome.scale += facts.scale / number;
  }
  // A hundred runs share their draws, cell by cell, so that a sampler is not made anew for each.
  constexpr int kTogether = 100;
  const auto some = [&](std::uint64_t seed) -> Result<std::vector<Run>> {
    mechanisms::Draws draws = mechanisms::Draws::seeded(seed);
    std::vector<Run> runs(static_cast<std::size_t>(std::min(kTogether, trials - static_cast<int>(seed) * kTogether)));
    for (const Cell& cell : cells)
      for (Run& run : runs) {
        CV_TRY(const CellEstimate estimate, mechanism->measure(plan, cell.view(), draws));
        const double released = estimate.state == CellEstimate::State::published ? estimate.mean : kUpper / 2;
        const double off = std::clamp(released, 0.0, kUpper) - cell.mean;
        run.error += std::abs(off) / number;
        run.bias += off / number;
      }
    return runs;
  };
  CV_TRY(const auto batches, experiments::each_trial((trials + kTogether - 1) / kTogether, some));
  std::vector<Run> runs;
  for (const std::vector<Run>& batch : batches) runs.insert(runs.end(), batch.begin(), batch.end());
  for (const Run& run : runs) {
    outcome.error += run.error / trials;
    outcome.bias += run.bias / trials;
  }
  for (const Run& run : runs) outcome.spread += (run.error - outcome.error) * (run.error - outcome.error) / trials;
  outcome.spread = std::sqrt(outcome.spread);
  return outcome;
}

}  // namespace chronoveil::gupta2024
