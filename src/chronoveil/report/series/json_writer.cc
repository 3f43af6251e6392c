#include <cmath>
#include <nlohmann/json.hpp>
#include <span>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/report/document/json_names.h"
#include "chronoveil/report/document/json_parts.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/series/writers.h"

namespace chronoveil::report {
namespace {

using json = nlohmann::ordered_json;

json shape_json(const mechanisms::PublicShape& shape) {
  return {{"series", shape.series},
          {"steps", shape.steps},
          {"unit", name(shape.unit)},
          {"relation", name(shape.relation)},
          {"width", shape.width},
          {"max_steps", shape.max_steps},
          {"max_per_slot", shape.max_per_slot},
          {"maximum", shape.maximum}};
}

json plan_json(const mechanisms::SeriesPlan& plan) {
  return {{"mechanism", plan.mechanism},
          {"parameters", parameters_json(plan.parameters)},
          {"noise", name_in(kNoiseNames, plan.noise)},
          {"scale", finite_or_null(plan.scale)},
          {"grid", finite_or_null(plan.grid)},
          {"sensitivity", finite_or_null(plan.sensitivity)},
          {"measured", plan.measured},
          {"event", accounting::event_to_json(plan.event)},
          {"analysis", name_in(kAnalysisNames, plan.price.analysis)},
          {"level", finite_or_null(plan.level)},
          {"delta", finite_or_null(plan.delta)},
          {"price", price_json(plan.price)},
          {"shape", shape_json(plan.shape)}};
}

json comparison_json(const plan::Comparison& comparison) {
  json candidates = json::array();
  for (const plan::Candidate& candidate : comparison.candidates) {
    json row{{"mechanism", candidate.mechanism}};
    if (candidate.plan) {
      row["noise_error"] = finite_or_null(candidate.noise_error);
      row["information"] = finite_or_null(candidate.information);
      row["expected_error"] = candidate.expected_error ? finite_or_null(*candidate.expected_error) : json(nullptr);
      row["plan"] = plan_json(*candidate.plan);
    } else {
      row["refusal"] = candidate.refusal.text();
    }
    candidates.push_back(std::move(row));
  }
  return {{"recommended", comparison.recommended}, {"reason", comparison.reason}, {"candidates", candidates}};
}

json guarantee_in_full(const Published& published) {
  json all = guarantee_json(published.release.guarantee, published.plan.price, published.release.mark,
                            published.not_protected);
  all["caps"] = name(published.caps);
  all["cap_growth"] = json::array();
  for (const CapGrowth& growth : published.cap_growth)
    all["cap_growth"].push_back({{"times", growth.times}, {"epsilon", finite_or_null(growth.epsilon)}});
  return all;
}

// The long arrays go straight to the text: a document in memory would take ten times the room.
void append_numbers(std::string& out, std::string_view key, std::span<const double> numbers) {
  out.append("\"").append(key).append("\":[");
  for (const double value : numbers) {
    if (std::isfinite(value))
      append_shortest(out, value);
    else
      out.append("null");
    out += ',';
  }
  if (numbers.empty()) out += ',';
  out.back() = ']';
}

void append_series(std::string& out, const Release& release) {
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  for (std::size_t series = 0; series < static_cast<std::size_t>(release.series()); ++series) {
    out.append(series == 0 ? "\n{\"key\":" : ",\n{\"key\":");
    out.append(release.keys.empty() ? "null" : text_of(release.keys[series]));
    const auto part = [&](const std::vector<double>& all) { return std::span(all).subspan(series * steps, steps); };
    append_numbers(out += ',', "value", part(release.estimate.value));
    append_numbers(out += ',', "lower", part(release.estimate.lower));
    append_numbers(out += ',', "upper", part(release.estimate.upper));
    out.append(",\"sampled\":[");
    for (std::size_t step = 0; step < steps; ++step)
      out.append(release.estimate.sampled[series * steps + step] ? "1," : "0,");
    if (steps == 0) out += ',';
    out.back() = ']';
    out += '}';
  }
}

}  // namespace

std::string to_json(const Published& published) {
  const Release& release = published.release;
  json plan = plan_json(published.plan);
  plan["reason"] = published.reason;
  if (published.comparison) plan["comparison"] = comparison_json(*published.comparison);

  std::string out;
  out.reserve(4096 + release.estimate.value.size() * 60);
  const auto member = [&](std::string_view key, const json& value) {
    out.append("\"").append(key).append("\":").append(text_of(value)).append(",\n");
  };
  out += '{';
  const json head = head_json("series", release.mark, published.title);
  for (const auto& [key, value] : head.items()) member(key, value);
  member("guarantee", guarantee_in_full(published));
  member("plan", plan);
  member("debit", debit_json(published.debit));
  if (published.budget) member("budget", budget_json(*published.budget));
  member("software", software_json());
  member("level", finite_or_null(release.level));
  member("zone", release.axis.zone);
  member("boundaries", release.axis.boundaries);
  member("time", release.axis.labels);
  out.append("\"series\":[");
  append_series(out, release);
  out.append("]}\n");
  return out;
}

}  // namespace chronoveil::report
