#include <array>
#include <nlohmann/json.hpp>

#include "chronoveil/report/document/members.h"
#include "chronoveil/report/perturbed/perturbed.h"

namespace chronoveil::report {

void members(mechanisms::TemporalPlan& plan, auto& with) {
  with("mechanism", plan.mechanism);
  with("window", plan.window);
  with("lanes", plan.lanes);
  with("unit", plan.unit);
  with("relation", plan.relation);
  with("length", plan.length);
  with("lower", plan.lower);
  with("upper", plan.upper);
  with("categories", plan.categories);
  with("parameters", plan.parameters);
  with("event", plan.event);
  with.named("analysis", kAnalysisNames, plan.price.analysis);
  with("delta", plan.delta);
  with("price", plan.price);
}

void members(CurvePoint& point, auto& with) {
  with.finite("epsilon", point.epsilon);
  with.finite("delta", point.delta);
}

namespace {

using json = nlohmann::ordered_json;

// Whether times move.
constexpr std::array<std::pair<std::string_view, bool>, 2> kViewNames = {{{"values", false}, {"times", true}}};

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
  for (const CurvePoint& point : curve) all.push_back(object_json(point));
  return all;
}

Result<std::int64_t> integer_from(std::int64_t least, const Fields& fields, const char* key) {
  CV_TRY(const std::int64_t held, fields.integer(key));
  if (held < least) return unreadable(fields.path_to(key));
  return held;
}

Result<mechanisms::TemporalPlan> plan_in(const Fields& plan) {
  CV_TRY(mechanisms::TemporalPlan all, object_in<mechanisms::TemporalPlan>(plan));
  if (all.window < 0) return unreadable(plan.path_to("window"));
  if (all.lanes < 1) return unreadable(plan.path_to("lanes"));
  return all;
}

// A share of the steps, or of the values.
bool is_share(double value) { return value >= 0 && value <= 1; }

Result<mechanisms::Moves> moves_in(const Fields& moves) {
  mechanisms::Moves all;
  CV_TRY(all.first, moves.integer("first"));
  // Nothing moves that far; what is added to it must not overflow.
  constexpr std::int64_t kFarthest = std::int64_t{1} << 40;
  if (all.first < -kFarthest || all.first > kFarthest) return unreadable(moves.path_to("first"));
  CV_TRY(const nlohmann::json* shares, moves.list("shares"));
  CV_CHECK(moves.numbers_into(all.shares, "shares", shares->size(), -1));
  for (const double share : all.shares)
    if (!is_share(share)) return unreadable(moves.path_to("shares"));
  CV_TRY(all.mean_distance, moves.number("mean_distance"));
  CV_TRY(all.missing, moves.number("missing"));
  CV_TRY(all.empty, moves.number("empty"));
  CV_TRY(all.cost, moves.number("cost"));
  return all;
}

// ε must ascend: a curve that goes back was not written by us.
Result<std::vector<CurvePoint>> curve_in(const Fields& document) {
  CV_TRY(const std::vector<Fields> rows, document.objects("curve"));
  std::vector<CurvePoint> all;
  for (const Fields& row : rows) {
    CV_TRY(const CurvePoint point, object_in<CurvePoint>(row));
    if (point.epsilon < 0 || (!all.empty() && point.epsilon <= all.back().epsilon))
      return unreadable(row.path_to("epsilon"));
    if (!is_share(point.delta)) return unreadable(row.path_to("delta"));
    all.push_back(point);
  }
  return all;
}

Result<Perturbed> perturbed_in(const Fields& document) {
  Perturbed all;
  if (document.has("mark")) {
    CV_TRY(all.mark, document.text("mark"));
  }
  CV_TRY(all.title, document.text("title"));
  CV_TRY(all.times_move, document.one_of(kViewNames, "view"));
  CV_TRY(all.time, document.text("time"));
  CV_TRY(all.columns, document.texts("columns"));
  CV_TRY(all.kept, document.texts("kept"));
  CV_TRY(all.rows, integer_from(0, document, "rows"));
  CV_TRY(all.empty, integer_from(0, document, "empty"));
  if (document.has("rows_sha256")) {
    CV_TRY(all.rows_digest, document.text("rows_sha256"));
  }
  CV_TRY(const Fields guarantee, document.object("guarantee"));
  CV_TRY(all.guarantee, guarantee_in(guarantee));
  CV_TRY(all.not_protected, guarantee.texts("not_protected"));
  CV_TRY(const Fields plan, document.object("plan"));
  CV_TRY(all.plan, plan_in(plan));
  CV_TRY(all.reason, plan.text("reason"));
  // We never promise anything about neighbours other than those of the plan.
  if (all.guarantee.relation != all.plan.relation) return unreadable(guarantee.path_to("relation"));
  if (all.guarantee.relation == Relation::swap && all.guarantee.window != all.plan.window)
    return unreadable(guarantee.path_to("window"));
  CV_TRY(const Fields expected, document.object("expected"));
  CV_TRY(all.expected, moves_in(expected));
  CV_TRY(all.curve, curve_in(document));
  CV_TRY(all.debit, debit_in(document));
  CV_TRY(all.budget, budget_in(document));
  return all;
}

}  // namespace

std::string perturbed_json(const Perturbed& perturbed) {
  json plan = object_json(perturbed.plan);
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

Result<Perturbed> perturbed_from_json(std::string_view text) { return read_document(text, perturbed_in); }

}  // namespace chronoveil::report
