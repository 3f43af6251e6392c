#include "chronoveil/report/document/json_names.h"
#include "chronoveil/report/document/json_parts.h"
#include "chronoveil/report/perturbed/json_names.h"
#include "chronoveil/report/perturbed/perturbed.h"

namespace chronoveil::report {
namespace {

Result<std::int64_t> integer_from(std::int64_t least, const Fields& fields, const char* key) {
  CV_TRY(const std::int64_t held, fields.integer(key));
  if (held < least) return unreadable(fields.path_to(key));
  return held;
}

Result<mechanisms::TemporalPlan> plan_in(const Fields& plan) {
  mechanisms::TemporalPlan all;
  CV_TRY(all.mechanism, plan.text("mechanism"));
  CV_TRY(all.window, integer_from(0, plan, "window"));
  CV_TRY(all.lanes, integer_from(1, plan, "lanes"));
  CV_TRY(all.unit, unit_in(plan));
  CV_TRY(all.relation, relation_in(plan));
  CV_TRY(all.length, plan.integer_or_none("length"));
  CV_TRY(all.lower, plan.finite_or_none("lower"));
  CV_TRY(all.upper, plan.finite_or_none("upper"));
  CV_TRY(all.categories, plan.texts("categories"));
  CV_TRY(all.parameters, parameters_in(plan));
  CV_TRY(all.event, event_in(plan));
  CV_TRY(all.delta, plan.number("delta"));
  CV_TRY(all.price, price_in(plan));
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
    CurvePoint point;
    CV_TRY(point.epsilon, row.finite("epsilon"));
    CV_TRY(point.delta, row.finite("delta"));
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

Result<Perturbed> perturbed_from_json(std::string_view text) { return read_document(text, perturbed_in); }

}  // namespace chronoveil::report
