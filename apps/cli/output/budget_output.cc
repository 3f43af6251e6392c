#include "output/budget_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "chronoveil/chronoveil.h"
#include "event_argument.h"

namespace chronoveil::cli {

using nlohmann::json;

namespace {

constexpr int kBarWidth = 40;
constexpr const char* kInAdvance = "if all had been chosen in advance; never used to admit";

// Null if a member of a union has no price.
json amount_json(ledger::Amount amount) { return amount.is_saturated() ? json(nullptr) : json(amount.value()); }

json number(double value) { return std::isfinite(value) ? json(value) : json(nullptr); }

std::string bar(double share) {
  // Rounded down, so that a full bar means that nothing was spent.
  const int full = static_cast<int>(std::floor(share * kBarWidth));
  std::string text;
  for (int i = 0; i < kBarWidth; ++i) text += i < full ? "█" : "░";
  return text;
}

std::string total_text(const ledger::Dataset& dataset) {
  std::string text = fmt::format("ε = {}", dataset.epsilon);
  if (dataset.delta > 0) text += fmt::format(", δ = {}", dataset.delta);
  return text + (dataset.renews ? fmt::format(" for each {}", ledger::name(*dataset.renews)) : " in total");
}

json composed_json(const ledger::View& view, const Result<accounting::Price>& composed) {
  json result = {{"meaning", kInAdvance}, {"delta", view.dataset.delta}};
  if (!composed) {
    result["epsilon"] = nullptr;
    result["reason"] = composed.error().text();
    return result;
  }
  result["epsilon"] = number(composed->epsilon);
  result["epsilon_lower"] = number(composed->epsilon_lower);
  if (!std::isfinite(composed->epsilon)) result["reason"] = composed->reason;
  return result;
}

json uses_json(std::int64_t reserved, std::int64_t used) { return {{"reserved", reserved}, {"used", used}}; }
json uses_json(const ledger::Debit& run) { return uses_json(*run.uses, run.used); }

std::string uses_text(const ledger::Debit& run) { return fmt::format("uses {} of {}", run.used, *run.uses); }

// What all outputs of one period can cost: its whole budget, plus what earlier periods paid for and have not published
// yet. Under `sum` the charges add up. Under other filters the budgets of the periods add up: each period may hold by
// another member, and concurrent interactive mechanisms compose like any others [Lyu22].
json outputs_json(const ledger::View& view) {
  if (view.dataset.filter.kind == ledger::FilterKind::sum) {
    ledger::Cost total = view.dataset.filter.budget;
    for (const ledger::Debit& debit : view.earlier) total += debit.cost;
    return cost_json(view.dataset.filter, total);
  }
  std::set<std::string> periods{view.period};
  for (const ledger::Debit& debit : view.earlier) periods.insert(debit.period);
  const auto count = static_cast<double>(periods.size());
  return {{"epsilon", count * view.dataset.epsilon}, {"delta", count * view.dataset.delta}};
}

std::string outputs_text(const ledger::View& view) {
  const json outputs = outputs_json(view);
  const double delta = outputs["delta"].get<double>();
  std::string text = "ε = " + ledger::rounded(outputs["epsilon"].get<double>());
  return delta > 0 ? text + ", δ = " + ledger::rounded(delta) : text;
}

// One line per member of the union, one of which must hold, and one for the δ set aside.
std::string members_text(const ledger::View& view) {
  const ledger::Filter& filter = view.dataset.filter;
  std::string text;
  for (std::size_t i = 0; i < filter.budget.values.size(); ++i) {
    const ledger::Amount admitted = view.admitted.values[i], budget = filter.budget.values[i];
    text += fmt::format("  {:<14}{:<10}{} ",
                        i == 0   ? "admitted"
                        : i == 1 ? "by any of"
                                 : "",
                        ledger::name(ledger::kind_of(filter, i)), ledger::symbol(filter, i));
    text += admitted > budget
                ? fmt::format("> {}\n", ledger::rounded(budget.value()))
                : fmt::format("= {} of {}\n", ledger::rounded(admitted.value()), ledger::rounded(budget.value()));
  }
  return text + fmt::format("  {:<14}δ = {} of {}\n", "set aside", ledger::rounded(view.admitted.delta.value()),
                            ledger::rounded(filter.budget.delta.value()));
}

std::string composed_text(const ledger::View& view, const Result<accounting::Price>& composed) {
  if (!composed) return fmt::format("none ({})", composed.error().text());
  if (!std::isfinite(composed->epsilon)) return fmt::format("infinite ε ({})", composed->reason);
  std::string text = "ε = " + ledger::rounded_up(composed->epsilon);
  if (view.dataset.delta > 0) text += fmt::format(" at δ = {}", view.dataset.delta);
  return text;
}

}  // namespace

json cost_json(const ledger::Filter& filter, const ledger::Cost& cost) {
  json result = {{"delta", cost.delta.value()}};
  switch (filter.kind) {
    case ledger::FilterKind::sum: result["epsilon"] = cost.values[0].value(); break;
    case ledger::FilterKind::zcdp: result["rho"] = cost.values[0].value(); break;
    case ledger::FilterKind::gaussian: result["mu_squared"] = cost.values[0].value(); break;
    case ledger::FilterKind::renyi:
      result["orders"] = filter.orders;
      result["renyi"] = json::array();
      for (const ledger::Amount value : cost.values) result["renyi"].push_back(value.value());
      break;
    case ledger::FilterKind::united:
      result["members"] = json::array();
      for (std::size_t i = 0; i < cost.values.size(); ++i) {
        result["members"].push_back({{"filter", ledger::name(ledger::kind_of(filter, i))},
                                     {"measure", ledger::symbol(filter, i)},
                                     {"amount", amount_json(cost.values[i])}});
      }
      break;
  }
  return result;
}

json dataset_json(const ledger::Dataset& dataset) {
  json result = {{"name", dataset.name},
                 {"unit", name(dataset.promise.unit)},
                 {"relation", name(dataset.promise.relation)},
                 {"epsilon", dataset.epsilon},
                 {"delta", dataset.delta},
                 {"filter", ledger::name(dataset.filter.kind)},
                 {"budget", cost_json(dataset.filter, dataset.filter.budget)},
                 {"per", dataset.renews ? std::string(ledger::name(*dataset.renews)) : "total"}};
  if (dataset.promise.unit == Unit::w_event) result["width"] = dataset.promise.width;
  if (dataset.promise.relation == Relation::swap) result["window"] = dataset.promise.width;
  if (dataset.partition) {
    json parts = {{"rule", ledger::rule_of(*dataset.partition, dataset.promise)},
                  {"straddle", dataset.partition->straddle}};
    if (dataset.partition->by == ledger::Partition::By::day) {
      parts["by"] = "day";
    } else {
      parts["names"] = dataset.partition->names;
    }
    result["parts"] = std::move(parts);
  }
  return result;
}

namespace {

json members_json(const ledger::View& view) {
  const ledger::Filter& filter = view.dataset.filter;
  json result = json::array();
  for (std::size_t i = 0; i < filter.budget.values.size(); ++i) {
    result.push_back({{"filter", ledger::name(ledger::kind_of(filter, i))},
                      {"measure", ledger::symbol(filter, i)},
                      {"share_of_delta", ledger::share_of_delta(filter, i)},
                      {"holds", view.admitted.values[i] <= filter.budget.values[i]},
                      {"share_left", ledger::share_left(filter, view.left, i)}});
  }
  return result;
}

}  // namespace

json reference_json(const ledger::DebitReference& reference) {
  return {{"id", reference.id.text()}, {"chain_head", reference.chain_head}};
}

json debit_json(const ledger::Filter& filter, const ledger::Debit& debit) {
  json result = {{"id", debit.id.text()},
                 {"chain_head", debit.chain_head},
                 {"recorded_at", debit.recorded_at},
                 {"recorded_by", debit.recorded_by},
                 {"purpose", debit.terms.purpose},
                 {"mechanism", debit.terms.mechanism},
                 {"event", event_json(debit.event)},
                 {"cost", cost_json(filter, debit.cost)},
                 {"state", ledger::name(debit.state)},
                 {"software", debit.software},
                 {"analysis", debit.analysis}};
  if (debit.terms.stated.unit) result["unit"] = name(*debit.terms.stated.unit);
  if (debit.terms.stated.width) result["width"] = *debit.terms.stated.width;
  if (debit.terms.stated.relation) result["relation"] = name(*debit.terms.stated.relation);
  if (debit.terms.stated.eviction == ledger::Eviction::none) result["eviction"] = "none";
  if (debit.terms.part) result["part"] = *debit.terms.part;
  if (debit.terms.delta) result["delta"] = *debit.terms.delta;
  if (!debit.terms.job.empty()) result["job"] = debit.terms.job;
  if (debit.digest) result["digest"] = *debit.digest;
  if (!debit.period.empty()) result["period"] = debit.period;
  for (const ledger::Slot& slot : debit.slots) {
    json item = {{"reserved", event_json(slot.reserved)}, {"state", slot.state ? ledger::name(*slot.state) : "free"}};
    if (slot.used) item["used"] = event_json(*slot.used);
    if (!slot.job.empty()) item["job"] = slot.job;
    if (slot.digest) item["digest"] = *slot.digest;
    if (slot.uses) item["uses"] = uses_json(*slot.uses, slot.uses_up);
    result["slots"].push_back(std::move(item));
  }
  for (const ledger::SlotsFor& one : debit.programme) {
    json item = {
        {"name", one.name}, {"job", one.job}, {"varies", one.varies}, {"first", one.first}, {"count", one.count}};
    if (one.uses) item["uses"] = *one.uses;
    result["programme"].push_back(std::move(item));
  }
  if (debit.uses) result["uses"] = uses_json(debit);
  return result;
}

json entry_json(const ledger::Entry& entry) {
  return {{"dataset", entry.dataset},         {"sequence", entry.sequence}, {"recorded_at", entry.recorded_at},
          {"recorded_by", entry.recorded_by}, {"kind", entry.kind},         {"body", entry.body},
          {"previous", entry.previous},       {"hash", entry.hash}};
}

json verification_json(const ledger::Verification& verification) {
  json findings = json::array();
  for (const ledger::Finding& finding : verification.findings) {
    findings.push_back({{"dataset", finding.dataset}, {"row", finding.sequence}, {"message", finding.message}});
  }
  json affected = json::array();
  for (const ledger::Affected& one : verification.affected) {
    affected.push_back({{"debit", one.debit.text()}, {"defect", one.defect}, {"summary", one.summary}});
  }
  return {{"holds", verification.holds()}, {"datasets", verification.datasets}, {"rows", verification.rows},
          {"debits", verification.debits}, {"findings", std::move(findings)},   {"affected", std::move(affected)}};
}

std::string affected_text(const ledger::Verification& verification) {
  if (verification.affected.empty()) return "";
  std::string text =
      "debits of earlier versions that may rest on a known defect (see docs/known_vulnerabilities.md):\n";
  for (const ledger::Affected& one : verification.affected)
    text += fmt::format("  {}  {}  {}\n", one.debit.text(), one.defect, one.summary);
  return text;
}

json budget_json(const ledger::View& view) {
  return {{"dataset", view.dataset.name},
          {"share_left", engine::share_left(view)},
          {"left", cost_json(view.dataset.filter, view.left)}};
}

json room_json(const ledger::Room& room) {
  json result = {{"more", std::min(room.more, ledger::kMostCounted)},
                 {"or_more", room.more > ledger::kMostCounted},
                 {"share", number(room.share)}};
  if (room.thriftier)
    result["thriftier"] = {{"filter", ledger::name(room.thriftier->first)}, {"share", room.thriftier->second}};
  return result;
}

json room_json(const ledger::LikeLast& like) {
  json room = room_json(like.room);
  room["like"] = like.last.text();
  if (like.epsilon) room["epsilon"] = *like.epsilon;
  if (like.epsilon) room["delta"] = like.delta;
  return room;
}

json view_json(const ledger::View& view, const std::optional<ledger::LikeLast>& like,
               const std::optional<Result<accounting::Price>>& composed) {
  json admits = json::object();
  if (view.admissible.gaussian_noise_multiplier) {
    admits["gaussian_noise_multiplier"] = *view.admissible.gaussian_noise_multiplier;
  }
  if (view.admissible.pure_epsilon) admits["pure_epsilon"] = *view.admissible.pure_epsilon;
  json result = {{"dataset", dataset_json(view.dataset)},
                 {"admitted", cost_json(view.dataset.filter, view.admitted)},
                 {"left", cost_json(view.dataset.filter, view.left)},
                 {"share_left", engine::share_left(view)},
                 {"still_admits", std::move(admits)},
                 {"debits", view.debits},
                 {"runs", json::array()},
                 {"rows", view.rows},
                 {"chain_head", view.chain_head},
                 {"moved_away", view.moved_away}};
  result["room"] = like && !view.moved_away && !view.closed ? room_json(*like) : json(nullptr);
  if (composed) result["composed"] = composed_json(view, *composed);
  if (view.dataset.filter.kind == ledger::FilterKind::united) result["members"] = members_json(view);
  if (view.beta > 0) result["beta"] = view.beta;
  if (view.closed) result["closed"] = *view.closed;
  if (!view.period.empty()) result["period"] = view.period;
  if (!view.clock_note.empty()) result["clock"] = view.clock_note;
  for (const ledger::Debit& run : view.runs) {
    result["runs"].push_back({{"id", run.id.text()}, {"purpose", run.terms.purpose}, {"uses", uses_json(run)}});
  }
  for (const ledger::Debit& debit : view.earlier) {
    result["earlier"].push_back({{"id", debit.id.text()},
                                 {"period", debit.period},
                                 {"purpose", debit.terms.purpose},
                                 {"cost", cost_json(view.dataset.filter, debit.cost)}});
  }
  if (!view.earlier.empty()) result["outputs_up_to"] = outputs_json(view);
  return result;
}

std::string dataset_line(const ledger::Dataset& dataset) {
  std::string unit(name(dataset.promise.unit));
  if (dataset.promise.unit == Unit::w_event) unit += fmt::format(" of width {}", dataset.promise.width);
  std::string relation(name(dataset.promise.relation));
  if (dataset.promise.relation == Relation::swap) relation += fmt::format(" of window {}", dataset.promise.width);
  return fmt::format("{}: {}, unit {}, {}, filter {}", visible(dataset.name), total_text(dataset), unit, relation,
                     ledger::name(dataset.filter.kind));
}

std::string cost_text(const ledger::Filter& filter, const ledger::Cost& cost) {
  std::string text;
  for (std::size_t i = 0; i < cost.values.size(); ++i) {
    if (cost.values[i].is_saturated()) continue;  // a member of a union that has no price for it
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", ledger::symbol(filter, i),
                        ledger::rounded(cost.values[i].value()));
  }
  if (!filter.budget.delta.is_zero()) text += ", δ = " + ledger::rounded(cost.delta.value());
  return text;
}

std::string amount_text(const ledger::Filter& filter, const ledger::Cost& cost, double epsilon, double delta) {
  if (filter.kind != ledger::FilterKind::united) return cost_text(filter, cost);
  return fmt::format("ε = {}, δ = {}", shortest(epsilon), shortest(delta));
}

std::string view_text(const ledger::View& view, const std::optional<ledger::LikeLast>& like,
                      const std::optional<Result<accounting::Price>>& composed) {
  const ledger::Filter& filter = view.dataset.filter;
  std::string text = dataset_line(view.dataset) + "\n";
  if (view.moved_away) text += "  moved to another ledger: nothing can be debited here\n";
  if (view.closed) text += fmt::format("  closed        {}; nothing more is debited\n", visible(*view.closed));
  if (!view.period.empty()) text += fmt::format("  period        {}\n", visible(view.period));
  if (!view.clock_note.empty()) text += fmt::format("  clock         {}\n", visible(view.clock_note));
  if (!view.moved_away && !view.closed)
    text += like ? "  " + ledger::text(*like) + "\n"
                 : "  nothing was debited yet: one release may take everything, or several share it\n";
  text += fmt::format("  left          {} {:.1f} %\n", bar(engine::share_left(view)), 100 * engine::share_left(view));
  text += filter.kind == ledger::FilterKind::united
              ? members_text(view)
              : fmt::format("  admitted      {} of {}\n", cost_text(filter, view.admitted),
                            cost_text(filter, filter.budget));
  if (view.beta > 0) text += fmt::format("  confidence    1 - {}: some prices are measured\n", shortest(view.beta));
  text += fmt::format("  still admits  {}\n", engine::still_admits(view));
  if (!view.part_rule.empty()) text += fmt::format("  parts         {}\n", view.part_rule);
  if (composed) text += fmt::format("  composed      {}: {}\n", composed_text(view, *composed), kInAdvance);
  text += fmt::format("  debits        {}\n", view.debits);
  for (const ledger::Debit& run : view.runs) {
    text += fmt::format("  run           {}  {}", run.id.text(), uses_text(run));
    if (!run.terms.purpose.empty()) text += "  " + visible(run.terms.purpose);
    text += "\n";
  }
  for (const ledger::Debit& debit : view.earlier) {
    text += fmt::format("  earlier       {}  of {} may still publish what it paid for there: {}", debit.id.text(),
                        visible(debit.period), cost_text(filter, debit.cost));
    if (!debit.terms.purpose.empty()) text += "  " + visible(debit.terms.purpose);
    text += "\n";
  }
  if (!view.earlier.empty()) {
    text +=
        fmt::format("  outputs       what comes out in {} from now on can add up to {}: its own budget and the above\n",
                    view.period, outputs_text(view));
  }
  return text;
}

std::string programme_lines(const std::vector<ledger::Debit>& debits) {
  std::string text;
  for (const ledger::Debit& debit : debits) {
    if (debit.state != ledger::State::reserved || debit.from_backup) continue;
    for (const ledger::SlotsFor& one : debit.programme) {
      const auto first = debit.slots.begin() + one.first;
      const auto used =
          std::count_if(first, first + one.count, [](const ledger::Slot& slot) { return slot.state.has_value(); });
      text += fmt::format("  programme     {}  {}: {} of {} runs used\n", debit.id.text(), visible(one.name), used,
                          one.count);
    }
  }
  return text;
}

std::string debit_line(const ledger::Filter& filter, const ledger::Debit& debit) {
  std::string text = fmt::format("{}  {}  {}  {}  {}", debit.id.text(), visible(debit.recorded_at),
                                 ledger::name(debit.state), cost_text(filter, debit.cost), to_text(debit.event));
  if (!debit.slots.empty()) {
    const auto used = std::count_if(debit.slots.begin(), debit.slots.end(),
                                    [](const ledger::Slot& slot) { return slot.used.has_value(); });
    text += fmt::format("  slots {} of {} used", used, debit.slots.size());
  }
  if (debit.uses) text += "  " + uses_text(debit);
  if (debit.terms.part) text += fmt::format("  part {}", visible(*debit.terms.part));
  if (!debit.period.empty()) text += fmt::format("  period {}", visible(debit.period));
  if (!debit.terms.purpose.empty()) text += fmt::format("  {}", visible(debit.terms.purpose));
  return text;
}

}  // namespace chronoveil::cli
