#include "output/means_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "chronoveil/base/plain_text.h"
#include "chronoveil/ledger/filters/rounded_text.h"
#include "key_names.h"
#include "output/job_output.h"
#include "output/text_table.h"

namespace chronoveil::cli {

using nlohmann::ordered_json;

namespace {

std::string price_text(const mechanisms::CellsPlan& plan) {
  std::string text = "ε = " + ledger::rounded_up(plan.price.epsilon);
  if (plan.delta > 0) text += ", δ = " + ledger::rounded_up(plan.delta);
  return text;
}

std::string noise_text(NoiseKind kind, double scale) {
  return (kind == NoiseKind::laplace ? "Laplace b = " : "Gaussian σ = ") + figure(scale);
}

std::string label_of(const plan::MeansCandidate& one) {
  return one.variant.empty() ? one.mechanism : one.mechanism + ", " + one.variant;
}

std::string chosen_text(const mechanisms::CellsPlan& plan) {
  std::string text =
      fmt::format("chosen    {}: {} noise of {} sensitivities in a cell", plan.mechanism,
                  plan.noise == NoiseKind::laplace ? "Laplace" : "Gaussian", figure(plan.noise_multiplier));
  return text + ", " + price_text(plan) + "\n";
}

std::string relation_text(Relation relation) {
  switch (relation) {
    case Relation::replace_values: return "the values of one person; where and when is public";
    case Relation::replace: return "everything one person did, replaced by another";
    case Relation::add_remove: return "everything one person did";
    case Relation::swap: return "which of two values of one series was first";
  }
  return "";
}

std::string fills_text(const std::vector<std::uint32_t>& fills) {
  std::string text;
  constexpr std::size_t kShown = 12;
  for (std::size_t i = 0; i < std::min(fills.size(), kShown); ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(fills[i]);
  if (fills.size() > kShown) text += fmt::format(", and {} more", fills.size() - kShown);
  return text;
}

}  // namespace

std::string comparison_text(const plan::MeansComparison& comparison) {
  std::string text = fmt::format(
      "counts    {}, {}{}\n", counted(static_cast<std::int64_t>(comparison.counts.size()), "user", "users"),
      counted(comparison.records, "record", "records"), comparison.from_caps ? ", as many as the caps allow" : "");
  text += fmt::format("m_ub      {} by the median rule, {} by the optimised rule\n", comparison.m_ub_median,
                      comparison.m_ub_optimised);
  text += fmt::format("arrays    of {}: {} by best fit, {} full by wrap-around\n",
                      counted(comparison.m_ub, "record", "records"), comparison.arrays_best_fit,
                      comparison.arrays_wrap_around);
  text += fmt::format("fills     {}\n\n", fills_text(comparison.fills));
  std::vector<std::vector<std::string>> rows{
      {"mechanism", "m_ub", "sensitivity", "noise", "off by on average", "cost"}};
  std::string refused;
  for (const plan::MeansCandidate& one : comparison.candidates) {
    if (!one.plan) {
      refused += fmt::format("  {} does not fit: {}\n", label_of(one), one.refusal.text());
      continue;
    }
    rows.push_back({label_of(one), one.facts.m_ub > 0 ? std::to_string(one.facts.m_ub) : "",
                    figure(one.facts.sensitivity), noise_text(one.plan->noise, one.facts.scale),
                    figure(one.facts.expected_noise), price_text(*one.plan)});
  }
  return text + table_text(rows) + refused;
}

std::string means_plan_text(const engine::Job& job, const engine::MeansPlanned& planned) {
  const mechanisms::CellShape& shape = planned.chosen.shape;
  std::string text = fmt::format("releases  means of {} in {} of {}, {} to {} ({})\n", visible(*job.source.measure),
                                 counted(shape.places, "place", "places"), counted(shape.steps, "slot", "slots"),
                                 visible(job.slots.start), visible(job.slots.end), visible(job.slots.zone));
  text += fmt::format("protects  user, {}: {}; at most {} per person{}, enforced\n", name(planned.chosen.relation),
                      relation_text(planned.chosen.relation), counted(shape.max_cells, "cell", "cells"),
                      shape.max_records ? fmt::format(", {} in each", counted(*shape.max_records, "record", "records"))
                                        : std::string());
  if (planned.comparison) text += "\n" + comparison_text(*planned.comparison) + "\n";
  text += chosen_text(planned.chosen);
  text += fmt::format("because   {}\n", planned.reason);
  if (!planned.outlook.empty()) text += fmt::format("interval  {}\n", with_key_names(planned.outlook, run_names));
  if (!planned.tells_nothing.empty()) text += nothing_text(planned.tells_nothing);
  if (planned.comparison && job.mechanism != "auto" && planned.comparison->recommended != job.mechanism)
    text += fmt::format("advised   {}: {}\n", planned.comparison->recommended, planned.comparison->reason);
  return text;
}

ordered_json comparison_json(const plan::MeansComparison& comparison) {
  report::MeansPublished bare;
  bare.comparison = comparison;
  return means_summary_json(bare)["plan"]["comparison"];
}

ordered_json means_plan_json(const engine::MeansPlanned& planned) {
  report::MeansPublished published;
  published.release.guarantee = planned.guarantee;
  published.plan = planned.chosen;
  published.reason = planned.reason;
  published.not_protected = planned.not_protected;
  const ordered_json summary = means_summary_json(published);
  ordered_json all{{"mechanism", planned.chosen.mechanism},
                   {"reason", planned.reason},
                   {"places", planned.chosen.shape.places},
                   {"steps", planned.chosen.shape.steps}};
  if (planned.comparison) {
    const ordered_json comparison = comparison_json(*planned.comparison);  // items() refers to it
    for (const auto& [key, value] : comparison.items())
      if (!all.contains(key)) all[key] = value;
  }
  if (!planned.outlook.empty()) all["outlook"] = with_key_names(planned.outlook, run_names);
  all["guarantee"] = summary["guarantee"];
  all["plan"] = summary["plan"];
  return all;
}

Result<void> print_means_plan(const engine::Job& job, engine::Compare compare, bool json) {
  CV_TRY(const engine::MeansPlanned planned, engine::plan_means(job, compare));
  if (json) {
    print_json(means_plan_json(planned));
  } else {
    std::cout << means_plan_text(job, planned);
    if (compare == engine::Compare::when_needed) std::cout << guarantee_text(planned.guarantee);
  }
  return {};
}

std::string means_published_text(const engine::Job& job, const report::MeansPublished& published) {
  std::string text = guarantee_text(published.release.guarantee);
  text += fmt::format("mechanism {}\n", visible(published.plan.mechanism));
  std::int64_t with_mean = 0;
  for (const CellEstimate& cell : published.release.cells) with_mean += cell.state == CellEstimate::State::published;
  text += fmt::format("cells     {} of {} published\n", with_mean, published.release.cells.size());
  if (published.release.smoothed != Smoothed::no)
    text +=
        fmt::format("smoothed  over slots{}; as measured in the columns measured and deviation\n",
                    published.release.smoothed == Smoothed::over_places ? " and places near by" : " and all places");
  text += debit_text(published.debit, published.budget);
  for (const std::string& sentence : published.not_protected) text += fmt::format("note      {}\n", visible(sentence));
  return text + outputs_text(job);
}

ordered_json means_summary_json(const report::MeansPublished& published) {
  report::MeansPublished bare = published;
  bare.release.cells.clear();
  bare.release.places.clear();
  bare.release.grid.reset();
  bare.release.axis = {};
  ordered_json all = ordered_json::parse(report::means_json(bare));
  for (const char* key : {"cells", "places", "grid", "time", "boundaries", "zone", "level"}) all.erase(key);
  return all;
}

std::string means_errors_text(const report::MeansEvaluation& evaluation) {
  const report::MeansErrors errors = report::errors_of(evaluation);
  std::string text = "internal: reveals the data\n";
  const auto row = [&](const char* name, double value) { text += fmt::format("  {:<44}{:.6g}\n", name, value); };
  const auto count = [&](const char* name, std::int64_t value) { text += fmt::format("  {:<44}{}\n", name, value); };
  count("cells compared", errors.cells);
  row("mean absolute error", errors.mean_absolute);
  row("root mean square error", errors.root_mean_square);
  row("share of true means inside their interval", errors.coverage);
  count("rows read", evaluation.rows);
  count("rows outside the span", evaluation.outside_span);
  count("rows of unlisted places", evaluation.unlisted_places);
  count("records in cells beyond max_cells", evaluation.over_cells);
  count("records beyond max_records", evaluation.over_records);
  count("values clamped to the bounds", evaluation.clamped);
  return text;
}

}  // namespace chronoveil::cli
