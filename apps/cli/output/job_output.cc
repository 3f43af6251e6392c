#include "output/job_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <vector>

#include "chronoveil/base/plain_text.h"
#include "chronoveil/ledger/filters/rounded_text.h"
#include "command.h"
#include "key_names.h"
#include "output/text_table.h"

namespace chronoveil::cli {

using nlohmann::ordered_json;

namespace {

std::vector<std::pair<std::string, std::string>> outputs_of(const engine::Job& job) {
  std::vector<std::pair<std::string, std::string>> all;
  const auto add = [&](const char* name, const std::string& path) {
    if (!path.empty()) all.emplace_back(name, path);
  };
  add("csv", job.csv);
  if (job.is<engine::SeriesSpec>()) add("totals", job.series().totals);
  add("json", job.json);
  add("report", job.report);
  add("chart", job.chart);
  add("geojson", job.geojson);
  return all;
}

std::string noise_text(const mechanisms::SeriesPlan& plan) {
  return plan.noise == NoiseKind::laplace ? "Laplace b = " + figure(plan.scale) : "Gaussian σ = " + figure(plan.scale);
}

std::string price_text(const mechanisms::SeriesPlan& plan) {
  std::string text = "ε = " + ledger::rounded_up(plan.price.epsilon);
  if (plan.delta > 0) text += ", δ = " + ledger::rounded_up(plan.delta);
  return text;
}

std::string candidates_text(const plan::Comparison& comparison) {
  const bool sampled = std::any_of(comparison.candidates.begin(), comparison.candidates.end(),
                                   [](const plan::Candidate& one) { return one.expected_error.has_value(); });
  std::vector<std::vector<std::string>> rows{{"mechanism", "noise", "error of a measured step", "information"}};
  const bool has_totals = std::any_of(comparison.candidates.begin(), comparison.candidates.end(),
                                      [](const plan::Candidate& one) { return one.expected_total_error.has_value(); });
  if (sampled) rows.front().emplace_back("error on the sample");
  if (has_totals) rows.front().emplace_back("of all series");
  rows.front().emplace_back("cost");
  std::string refused;
  for (const plan::Candidate& one : comparison.candidates) {
    if (!one.plan) {
      refused += fmt::format("  {} does not fit: {}\n", one.mechanism, one.refusal.text());
      continue;
    }
    std::vector<std::string> row{one.mechanism, noise_text(*one.plan), figure(one.noise_error),
                                 figure(one.information)};
    if (sampled) row.push_back(one.expected_error ? figure(*one.expected_error) : "");
    if (has_totals) row.push_back(one.expected_total_error ? figure(*one.expected_total_error) : "");
    row.push_back(price_text(*one.plan));
    rows.push_back(std::move(row));
  }
  return table_text(rows) + refused;
}

std::string cap_table_text(const engine::CapTable& table, const std::string& mechanism) {
  std::vector<std::vector<std::string>> rows{{"max_steps"}};
  rows.front().insert(rows.front().end(), table.lengths.begin(), table.lengths.end());
  for (std::size_t cap = 0; cap < table.caps.size(); ++cap) {
    std::vector<std::string>& row = rows.emplace_back(1, std::to_string(table.caps[cap]));
    for (std::size_t length = 0; length < table.lengths.size(); ++length) {
      const double error = table.errors[length * table.caps.size() + cap];
      row.push_back(std::isnan(error) ? "" : figure(error));
    }
  }
  if (table.smoothed) {
    std::vector<std::string>& row = rows.emplace_back(1, "a count");
    for (const double typical : table.typical) row.push_back(figure(typical));
  }
  return fmt::format("\nerror of a cell by max_steps and slots.length, {} {}\n", mechanism,
                     table.smoothed ? "on the sample" : "before any smoothing") +
         table_text(rows);
}

ordered_json cap_table_json(const engine::CapTable& table) {
  ordered_json all{{"smoothed", table.smoothed}, {"max_steps", table.caps}, {"by_length", ordered_json::array()}};
  for (std::size_t length = 0; length < table.lengths.size(); ++length) {
    ordered_json row{{"length", table.lengths[length]}, {"error", ordered_json::array()}};
    if (table.smoothed) row["typical"] = table.typical[length];
    for (std::size_t cap = 0; cap < table.caps.size(); ++cap) {
      const double error = table.errors[length * table.caps.size() + cap];
      row["error"].push_back(std::isnan(error) ? ordered_json() : ordered_json(error));
    }
    all["by_length"].push_back(std::move(row));
  }
  return all;
}

}  // namespace

ordered_json summary_json(const report::Published& published) {
  report::Published bare = published;
  bare.release.keys.clear();
  bare.release.axis = {};
  bare.release.estimate = {};
  bare.release.totals = {};
  ordered_json all = ordered_json::parse(report::to_json(bare));
  for (const char* key : {"series", "time", "boundaries", "zone", "level"}) all.erase(key);
  return all;
}

ordered_json plan_json(const engine::Job& job, const engine::Planned& planned,
                       const std::optional<engine::CapTable>& caps) {
  report::Published published;
  published.release.guarantee = planned.guarantee;
  published.plan = planned.chosen;
  published.comparison = planned.comparison;
  published.reason = planned.reason;
  published.caps = job.source.user ? Basis::enforced : Basis::declared;
  const ordered_json summary = summary_json(published);
  ordered_json all{{"mechanism", planned.chosen.mechanism}, {"reason", planned.reason},
                   {"series", planned.chosen.shape.series}, {"steps", planned.chosen.shape.steps},
                   {"guarantee", summary["guarantee"]},     {"plan", summary["plan"]}};
  if (caps) all["caps"] = cap_table_json(*caps);
  return all;
}

std::string job_text(const engine::Job& job, const engine::Planned& planned) {
  const mechanisms::PublicShape& shape = planned.chosen.shape;
  std::string text = fmt::format("releases  {} of {}, {} to {} ({})\n", counted(shape.series, "series", "series"),
                                 counted(shape.steps, "slot", "slots"), visible(job.slots.start),
                                 visible(job.slots.end), visible(job.slots.zone));
  std::string unit(name(shape.unit));
  if (shape.unit == Unit::w_event) unit += fmt::format(" of width {}", shape.width);
  std::string caps =
      shape.unit == Unit::user
          ? fmt::format("at most {}, {} in each", counted(shape.max_steps, "slot", "slots"), shape.max_per_slot)
          : fmt::format("at most {} in a slot", shape.max_per_slot);
  if (shape.unit != Unit::user && job.max_steps) caps += " (max_steps belongs to unit user and is not used)";
  text += fmt::format("protects  {}, {}: {}, {}\n", unit, name(shape.relation), caps,
                      job.source.user ? "enforced" : "declared");
  if (job.is<engine::LiveSpec>() && engine::rows_are_people(job))
    text += job.live().clock == engine::LiveSpec::Clock::system
                ? fmt::format("clock     the system's: a step closes {} s after its end\n", job.live().wait / 1000)
                : "clock     live needs --until TIME each time, or clock = \"system\" in the job: rows are people\n";
  return text;
}

std::string nothing_text(const std::string& tells_nothing) {
  return "refused   " + with_key_names(tells_nothing, run_names) + "\n";
}

std::string plan_text(const engine::Job& job, const engine::Planned& planned,
                      const std::optional<engine::CapTable>& caps) {
  std::string text = job_text(job, planned);
  if (planned.comparison) text += "\n" + candidates_text(*planned.comparison);
  if (planned.comparison && job.series().public_sample.empty())
    text += "\nbefore smoothing; how far off a reader's values and totals are, a public sample tells (--sample)\n";
  if (caps) text += cap_table_text(*caps, planned.chosen.mechanism);
  if (planned.comparison) text += "\n";
  text += fmt::format("chosen    {}: {}, {}\n", planned.chosen.mechanism, noise_text(planned.chosen),
                      price_text(planned.chosen));
  text += fmt::format("because   {}\n", planned.reason);
  if (!planned.tells_nothing.empty()) text += nothing_text(planned.tells_nothing);
  if (planned.comparison && job.mechanism != "auto" && planned.comparison->recommended != job.mechanism &&
      !planned.comparison->recommended.empty()) {
    text += fmt::format("advised   {}: {}\n", planned.comparison->recommended, planned.comparison->reason);
  }
  return text;
}

std::string guarantee_text(const Guarantee& guarantee) {
  const std::string epsilon = std::isfinite(guarantee.epsilon) ? ledger::rounded_up(guarantee.epsilon) : "infinite";
  std::string text =
      fmt::format("guarantee {}, unit {}, {}{}: ε = {}, δ = {} ({})\n", visible(guarantee.definition),
                  unit_text(guarantee), name(guarantee.relation),
                  guarantee.window > 0 ? fmt::format(" within {} steps", guarantee.window) : std::string(), epsilon,
                  guarantee.delta, name(guarantee.certificate));
  for (const Assumption& assumption : guarantee.assumptions)
    text += fmt::format("  {}  {}\n", name(assumption.basis), visible(assumption.text));
  return text;
}

std::string programme_text(const report::ProgrammeUse& use) {
  std::int64_t used = 0, runs = 0;
  std::string jobs;
  for (const report::ProgrammeUse::OfJob& job : use.jobs) {
    used += job.used;
    runs += job.runs;
    jobs += fmt::format("{} {} of {} of {}", jobs.empty() ? ":" : ",", job.used, job.runs, visible(job.name));
  }
  return fmt::format("{} of {} runs of the programme used{}", used, runs, use.jobs.size() > 1 ? jobs : "");
}

ordered_json programme_json(const report::ProgrammeUse& use) {
  ordered_json jobs = ordered_json::array();
  for (const report::ProgrammeUse::OfJob& job : use.jobs)
    jobs.push_back({{"job", job.name}, {"used", job.used}, {"runs", job.runs}});
  return jobs;
}

void add_programme(const std::optional<report::BudgetLeft>& budget, ordered_json& summary) {
  if (budget && budget->programme) summary["budget"]["programme"] = programme_json(*budget->programme);
}

std::string debit_text(const std::optional<ledger::DebitReference>& debit,
                       const std::optional<report::BudgetLeft>& budget) {
  std::string text;
  if (debit) text += fmt::format("debit     {}\n", visible(debit->id.text()));
  if (!budget) return text;
  if (budget->programme)
    return text + fmt::format("budget    {}: {}\n", visible(budget->dataset), programme_text(*budget->programme));
  text += fmt::format("budget    {}: {:.1f} % left", visible(budget->dataset), 100 * budget->fraction_left);
  if (budget->room)
    text += budget->room->more == 0 ? ", too little for another like it"
                                    : fmt::format(", room for {} more like it", ledger::count_text(*budget->room));
  return text + "\n";
}

std::string published_text(const engine::Job& job, const report::Published& published) {
  std::string text = guarantee_text(published.release.guarantee);
  text += fmt::format("mechanism {}\n", visible(published.plan.mechanism));
  return text + debit_text(published.debit, published.budget) + outputs_text(job);
}

// Assumptions, which are indented, and notes are in the documents.
void print_notes(const std::string& lines) {
  for (std::size_t at = 0; at < lines.size();) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    const std::string_view line = std::string_view(lines).substr(at, end - at);
    if (!line.empty() && line.front() != ' ' && !line.starts_with("note ") && line != "written   -") print_note(line);
    at = end + 1;
  }
}

void print_summary(const engine::Job& job, const std::string& text, bool paid) {
  if (!writes_to_stdout(job))
    std::cout << text;
  else if (paid && job.json != "-")
    print_notes(text);
}

std::string outputs_text(const engine::Job& job) {
  std::string text;
  for (const auto& [name, path] : outputs_of(job)) text += (text.empty() ? "" : ", ") + visible(path);
  return "written   " + text + "\n";
}

ordered_json outputs_json(const engine::Job& job) {
  ordered_json all = ordered_json::object();
  for (const auto& [name, path] : outputs_of(job)) all[name] = path;
  return all;
}

void print_json(const ordered_json& object) {
  std::cout << object.dump(-1, ' ', false, ordered_json::error_handler_t::replace) << "\n";
}

bool writes_to_stdout(const engine::Job& job) {
  const auto outputs = outputs_of(job);
  return std::any_of(outputs.begin(), outputs.end(), [](const auto& output) { return output.second == "-"; });
}

Result<void> check_room(const engine::Job& job, bool json) {
  if (json && writes_to_stdout(job))
    return fail(ErrorKind::usage, "output", "a job that writes to standard output leaves no room for --json");
  return {};
}

Result<void> print_dry_run(const engine::Job& job, bool json) {
  CV_TRY(const engine::Planned planned, engine::plan_job(job, engine::Compare::when_needed));
  if (json) {
    print_json(plan_json(job, planned));
  } else {
    std::cout << plan_text(job, planned) << guarantee_text(planned.guarantee);
  }
  return {};
}

}  // namespace chronoveil::cli
