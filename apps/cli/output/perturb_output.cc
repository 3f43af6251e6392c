#include "output/perturb_output.h"

#include <fmt/format.h>

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "chronoveil/base/plain_text.h"
#include "chronoveil/ledger/filters/rounded_text.h"
#include "output/job_output.h"
#include "output/text_table.h"

namespace chronoveil::cli {

using nlohmann::ordered_json;

namespace {

std::string value_text(const mechanisms::Value& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using Held = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<Held, std::string>) return visible(held);
        if constexpr (std::is_same_v<Held, bool>) return held ? "true" : "false";
        if constexpr (std::is_same_v<Held, std::int64_t>) return std::to_string(held);
        // Calibrated parameters are all held as real numbers, even whole ones.
        if constexpr (std::is_same_v<Held, double>)
          return std::floor(held) == held && std::abs(held) < 1e15 ? fmt::format("{:.0f}", held) : figure(held);
      },
      value);
}

std::string parameters_text(const mechanisms::TemporalPlan& plan) {
  std::string text;
  for (const auto& [name, value] : plan.parameters) text += (text.empty() ? "" : ", ") + name + " " + value_text(value);
  return text;
}

std::string price_text(const accounting::Price& price) {
  std::string text = "ε = " + ledger::rounded_up(price.epsilon);
  if (price.delta > 0) text += ", δ = " + ledger::rounded_up(price.delta);
  return text;
}

std::string nominal_text(const accounting::Price& price) {
  if (!price.nominal) return "";
  return fmt::format("ε = {}, δ = {}", figure(price.nominal->epsilon), figure(price.nominal->delta));
}

std::string candidates_text(const plan::TemporalComparison& comparison, const KeyNames& names) {
  std::vector<std::vector<std::string>> rows{{"mechanism", "cost a value", "certified", "nominal", "parameters"}};
  std::string refused;
  for (const plan::TemporalCandidate& one : comparison.candidates) {
    if (!one.plan) {
      refused += fmt::format("  {} does not fit: {}\n", one.mechanism, one.refusal.text(names));
      continue;
    }
    const accounting::Price& price = one.plan->price;
    const bool certified = price.analysis == accounting::Analysis::certified;
    rows.push_back({one.mechanism, figure(one.moves->cost), certified ? price_text(price) : "not certified",
                    certified ? nominal_text(price) : price_text(price), parameters_text(*one.plan)});
  }
  return table_text(rows) + refused;
}

std::string protects_text(const mechanisms::TemporalPlan& plan) {
  if (plan.relation == Relation::swap)
    return fmt::format("when a value was measured, among steps less than {} apart; not the value itself", plan.window);
  return plan.unit == Unit::user
             ? fmt::format("all {} of the series, what each was", counted(plan.length.value_or(0), "value", "values"))
             : "what one value was; not when it was measured";
}

}  // namespace

std::string perturb_plan_text(const engine::Job& job, const engine::PerturbPlanned& planned, const KeyNames& names) {
  const mechanisms::TemporalPlan& plan = planned.chosen;
  std::string text =
      fmt::format("releases  {} of {}\n",
                  job.perturb().columns.empty()
                      ? "every column"
                      : counted(static_cast<std::int64_t>(job.perturb().columns.size()), "column", "columns"),
                  job.source.path == "-" ? "a stream" : job.source.path);
  text += fmt::format("protects  {}\n", protects_text(plan));
  if (planned.comparison) text += "\n" + candidates_text(*planned.comparison, names) + "\n";
  text += fmt::format("chosen    {}{}{}: {}\n", plan.mechanism, plan.parameters.empty() ? "" : ", ",
                      parameters_text(plan), price_text(plan.price));
  if (plan.price.nominal && plan.price.analysis == accounting::Analysis::certified)
    text += fmt::format("nominal   {}: the paper's number for single outputs, not differential privacy\n",
                        nominal_text(plan.price));
  text += fmt::format("because   {}\n", planned.reason);
  if (planned.comparison && job.mechanism != "auto" && planned.comparison->recommended != job.mechanism &&
      !planned.comparison->recommended.empty())
    text += fmt::format("advised   {}: {}\n", planned.comparison->recommended, planned.comparison->reason);
  return text;
}

std::string columns_text(const engine::Job& job, const engine::PerturbedColumns& columns) {
  const auto list = [](const std::vector<std::string>& names) {
    constexpr std::size_t kShown = 20;
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), kShown); ++i) text += (i == 0 ? "" : ", ") + visible(names[i]);
    return names.size() > kShown ? fmt::format("{} and {} more", text, names.size() - kShown) : text;
  };
  std::string text =
      fmt::format("columns   {} {}", job.perturb().window ? "perturbed" : "changed", list(columns.moved));
  text += columns.time.empty() ? "; no column of times" : "; times " + visible(columns.time);
  if (!columns.kept.empty()) text += "; kept as they are " + list(columns.kept);
  if (!columns.left_out.empty()) text += "; left out " + list(columns.left_out);
  return text + "\n";
}

ordered_json perturb_plan_json(const engine::PerturbPlanned& planned, const KeyNames& names) {
  report::Perturbed bare;
  bare.guarantee = planned.guarantee;
  bare.plan = planned.chosen;
  bare.reason = planned.reason;
  const ordered_json document = ordered_json::parse(report::perturbed_json(bare));
  ordered_json all{{"mechanism", planned.chosen.mechanism}, {"reason", planned.reason}};
  if (planned.comparison) {
    ordered_json candidates = ordered_json::array();
    for (const plan::TemporalCandidate& one : planned.comparison->candidates) {
      ordered_json row{{"mechanism", one.mechanism}};
      if (!one.plan) {
        row["refusal"] = one.refusal.text(names);
      } else {
        row["epsilon"] = one.plan->price.epsilon;
        row["delta"] = one.plan->price.delta;
        if (one.plan->price.nominal) {
          row["nominal_epsilon"] = one.plan->price.nominal->epsilon;
          row["nominal_delta"] = one.plan->price.nominal->delta;
        }
        row["cost"] = one.moves->cost;
      }
      candidates.push_back(std::move(row));
    }
    all["candidates"] = std::move(candidates);
    all["recommended"] = planned.comparison->recommended;
  }
  all["guarantee"] = document["guarantee"];
  all["plan"] = document["plan"];
  return all;
}

Result<void> print_perturb_plan(const engine::Job& job, engine::Compare compare, bool json, const KeyNames& names) {
  CV_TRY(const engine::PerturbPlanned planned, engine::plan_perturbation(job, compare));
  if (json) {
    print_json(perturb_plan_json(planned, names));
  } else {
    std::cout << perturb_plan_text(job, planned, names);
    if (compare == engine::Compare::when_needed) std::cout << guarantee_text(planned.guarantee);
  }
  return {};
}

std::string perturbed_text(const engine::Job& job, const engine::PerturbedRelease& release) {
  std::string text = guarantee_text(release.guarantee);
  text += fmt::format("mechanism {}, {}\n", visible(release.plan.mechanism), parameters_text(release.plan));
  text += fmt::format("rows      {}", release.rows);
  if (release.empty > 0) text += fmt::format(", {} of them empty", release.empty);
  text += fmt::format("\nmoves     {} steps per value on average, by the law of the mechanism\n",
                      figure(release.expected.mean_distance));
  text += debit_text(release.debit, release.budget);
  for (const std::string& sentence : release.not_protected) text += fmt::format("note      {}\n", visible(sentence));
  text += outputs_text(job);
  if (!job.perturb().internal.empty())
    text += "internal  " + visible(job.perturb().internal) + ": for the owner alone\n";
  return text;
}

ordered_json perturbed_summary_json(const engine::Job& job, const engine::PerturbedRelease& release) {
  ordered_json all = ordered_json::parse(report::perturbed_json(release));
  all["outputs"] = outputs_json(job);
  return all;
}

}  // namespace chronoveil::cli
