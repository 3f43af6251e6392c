#include "chronoveil/engine/series/totals.h"

#include <filesystem>
#include <numeric>

#include "chronoveil/data/time/calendar.h"
#include "chronoveil/engine/release/source.h"
#include "chronoveil/engine/series/adjusted.h"
#include "chronoveil/mechanisms/catalogue.h"

namespace chronoveil::engine {
namespace {

using data::CalendarUnit;

constexpr std::int64_t kDay = 86'400'000;

Periods periods_of(std::string per, const data::Stretches& stretches) {
  Periods all{std::move(per), {}, {}};
  for (const auto& [first, end] : stretches) {
    all.first.push_back(first);
    all.end.push_back(end);
  }
  return all;
}

// Where days or weeks begin, if they are the season that the mechanism was told; else it counts from the first step.
Result<std::vector<std::int64_t>> season_starts(const SlotAxis& axis, const mechanisms::SeriesPlan& plan) {
  std::vector<std::int64_t> starts;
  if (!plan.parameters.contains("season")) return starts;
  const std::int64_t season = mechanisms::integer(plan.parameters, "season"), length = season * usual_length(axis);
  if (season < 2 || season > axis.steps() / 2 || (length != kDay && length != 7 * kDay)) return starts;
  CV_TRY(const data::Stretches whole,
         data::whole_stretches(axis, length == kDay ? CalendarUnit::day : CalendarUnit::week));
  for (const auto& one : whole)
    if (one.first > 0) starts.push_back(one.first);
  if (!whole.empty() && whole.back().second < axis.steps()) starts.push_back(whole.back().second);
  return starts;
}

// What some series add up to at every step.
struct BySteps {
  Estimate sums;
  std::int64_t series = 0;
  const std::vector<double>* half_widths = nullptr;  // of these sums; null: what the noise says
};

void add_to(Estimate& sums, const Estimate& cells, std::int64_t series) {
  const auto from = [&](const std::vector<double>& all) {
    return all.data() + (all.empty() ? 0 : static_cast<std::size_t>(series) * sums.value.size());
  };
  const auto add = [](std::vector<double>& into, const double* values) {
    for (double& sum : into) sum += *values++;
  };
  add(sums.value, from(cells.value));
  if (!sums.lower.empty()) add(sums.lower, from(cells.lower)), add(sums.upper, from(cells.upper));
}

BySteps summed(const mechanisms::Summands& summands, const std::vector<std::int64_t>& series, std::size_t steps) {
  BySteps all{.sums = {}, .series = static_cast<std::int64_t>(series.size()), .half_widths = nullptr};
  all.sums.value.assign(steps, 0);
  if (!summands.noise) all.sums.lower = all.sums.upper = all.sums.value;
  for (const std::int64_t one : series) add_to(all.sums, summands.cells, one);
  return all;
}

// A new member of the totals: what these series add up to in each of some periods.
Sums sums_over(const Periods& periods, const BySteps& by_steps, const mechanisms::Summands& summands,
               const SeriesSpec& spec) {
  Estimate estimate;
  for (std::size_t i = 0; i < periods.first.size(); ++i) {
    const auto over = [&](const std::vector<double>& all) {
      return std::accumulate(all.begin() + periods.first[i], all.begin() + periods.end[i], 0.0);
    };
    estimate.value.push_back(over(by_steps.sums.value));
    if (!summands.noise) {
      estimate.lower.push_back(over(by_steps.sums.lower));
      estimate.upper.push_back(over(by_steps.sums.upper));
      continue;
    }
    const std::int64_t steps = periods.end[i] - periods.first[i];
    const double half_width = steps == 1 && by_steps.half_widths != nullptr
                                  ? (*by_steps.half_widths)[static_cast<std::size_t>(periods.first[i])]
                                  : summands.noise(by_steps.series * steps);
    estimate.lower.push_back(estimate.value.back() - half_width);
    estimate.upper.push_back(estimate.value.back() + half_width);
  }
  estimate = adjusted(spec, std::move(estimate));
  return {"", "", 0, std::move(estimate.value), std::move(estimate.lower), std::move(estimate.upper)};
}

}  // namespace

Result<SumPlan> plan_sums(const Job& job, const SlotAxis& axis, const mechanisms::SeriesPlan& plan) {
  SumPlan all;
  if (job.is<LiveSpec>()) return all;  // published step by step
  CV_TRY(const mechanisms::SeriesMechanism* mechanism, mechanisms::find_series_mechanism(plan.mechanism));
  all.groups = groups_of(job);
  for (const Group& group : all.groups) all.asked.groups.push_back(group.series);
  CV_TRY(all.asked.season_starts, season_starts(axis, plan));
  if (!mechanism->totals) {
    if (axis.steps() > 1) all.periods.push_back({"span", {0}, {axis.steps()}});
    for (const auto& [unit, name] : {std::pair{CalendarUnit::month, "month"}, std::pair{CalendarUnit::week, "week"},
                                     std::pair{CalendarUnit::day, "day"}}) {
      CV_TRY(const data::Stretches whole, data::whole_stretches(axis, unit));
      if (!whole.empty()) all.periods.push_back(periods_of(name, whole));
    }
  }
  if (plan.shape.series > 1) {
    Periods slots{"slot", {}, {}};
    for (std::int64_t t = 0; t < axis.steps(); ++t) slots.first.push_back(t), slots.end.push_back(t + 1);
    all.periods.push_back(std::move(slots));
  }
  return all;
}

std::string totals_beside(const std::string& csv) {
  const std::filesystem::path path(csv);
  return (path.parent_path() / (path.stem().string() + "_totals" + path.extension().string())).string();
}

Totals totals_of(const Job& job, const SumPlan& plan, const mechanisms::Summands& summands) {
  Totals totals{plan.periods, {}};
  if (plan.periods.empty()) return totals;
  const auto steps = static_cast<std::size_t>(plan.periods.front().end.back());
  const auto series = static_cast<std::int64_t>(summands.cells.value.size() / steps);
  const auto add = [&](const std::string& of, const std::string& name, const BySteps& by_steps) {
    for (std::size_t p = 0; p < plan.periods.size(); ++p) {
      if (of == "series" && plan.periods[p].per == "slot") continue;  // its cells
      Sums& sums = totals.sums.emplace_back(sums_over(plan.periods[p], by_steps, summands, job.series()));
      sums.of = of, sums.name = name, sums.periods = p;
    }
  };
  std::vector<std::int64_t> every(static_cast<std::size_t>(series));
  std::iota(every.begin(), every.end(), std::int64_t{0});
  BySteps all = summed(summands, every, steps);
  if (!summands.of_all.empty()) all.half_widths = &summands.of_all;
  add("all", "", all);
  for (std::size_t g = 0; g < plan.groups.size(); ++g) {
    BySteps group = summed(summands, plan.groups[g].series, steps);
    if (!summands.of_groups.empty()) group.half_widths = &summands.of_groups[g];
    add("group", plan.groups[g].name, group);
  }
  if (series > 1)
    for (std::int64_t s = 0; s < series; ++s)
      add("series", job.keys[static_cast<std::size_t>(s)], summed(summands, {s}, steps));
  return totals;
}

}  // namespace chronoveil::engine
