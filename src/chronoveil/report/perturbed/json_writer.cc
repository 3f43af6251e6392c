#include <nlohmann/json.hpp>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/report/document/json_names.h"
#include "chronoveil/report/document/json_parts.h"
#include "chronoveil/report/perturbed/json_names.h"
#include "chronoveil/report/perturbed/perturbed.h"

namespace chronoveil::report {
namespace {

using json = nlohmann::ordered_json;

json plan_json(const mechanisms::TemporalPlan& plan) {
  return {{"mechanism", plan.mechanism},
          {"window", plan.window},
          {"lanes", plan.lanes},
          {"unit", name(plan.unit)},
          {"relation", name(plan.relation)},
          {"length", or_null(plan.length)},
          {"lower", or_null(plan.lower)},
          {"upper", or_null(plan.upper)},
          {"categories", plan.categories},
          {"parameters", parameters_json(plan.parameters)},
          {"event", accounting::event_to_json(plan.event)},
          {"analysis", name_in(kAnalysisNames, plan.price.analysis)},
          {"delta", finite_or_null(plan.delta)},
          {"price", price_json(plan.price)}};
}

json moves_json(const mechanisms::Moves& moves) {
  return {{"first", moves.first},
          {"shares", moves.shares},
          {"mean_distance", finite_or_null(moves.mean_distance)},
          {"missing", finite_or_null(moves.missing)},
          {"empty", finite_or_null(moves.empty)},
          {"cost", finite_or_null(moves.cost)}};
}

json curve_json(const std::vector<CurvePoint>& curve) {
  json all = json::array();
  for (const CurvePoint& point : curve)
    all.push_back({{"epsilon", finite_or_null(point.epsilon)}, {"delta", finite_or_null(point.delta)}});
  return all;
}

}  // namespace

std::string perturbed_json(const Perturbed& perturbed) {
  json plan = plan_json(perturbed.plan);
  plan["reason"] = perturbed.reason;

  std::string out = "{";
  const auto member = [&](std::string_view key, const json& value) {
    if (out.size() > 1) out.append(",\n");
    out.append("\"").append(key).append("\":").append(text_of(value));
  };
  const json head = head_json("perturb", perturbed.mark, perturbed.title);
  for (const auto& [key, value] : head.items()) member(key, value);
  member("view", name_in(kViewNames, perturbed.times_move));
  member("time", perturbed.time);
  member("columns", perturbed.columns);
  member("kept", perturbed.kept);
  member("rows", perturbed.rows);
  member("empty", perturbed.empty);
  if (!perturbed.rows_digest.empty()) member("rows_sha256", perturbed.rows_digest);
  member("guarantee",
         guarantee_json(perturbed.guarantee, perturbed.plan.price, perturbed.mark, perturbed.not_protected));
  member("plan", plan);
  member("expected", moves_json(perturbed.expected));
  member("curve", curve_json(perturbed.curve));
  member("debit", debit_json(perturbed.debit));
  if (perturbed.budget) member("budget", budget_json(*perturbed.budget));
  member("software", software_json());
  return out.append("}\n");
}

}  // namespace chronoveil::report
