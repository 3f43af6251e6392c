#include "chronoveil/report/document/json_parts.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/base/plain_text.h"
#include "chronoveil/base/version.h"
#include "chronoveil/report/document/members.h"

namespace chronoveil::report {

using nlohmann::json;
using nlohmann::ordered_json;

ordered_json finite_or_null(double value) { return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr); }

ordered_json or_null(const std::optional<double>& number) {
  return number ? ordered_json(*number) : ordered_json(nullptr);
}
ordered_json or_null(const std::optional<std::int64_t>& number) {
  return number ? ordered_json(*number) : ordered_json(nullptr);
}

std::string text_of(const ordered_json& value) {
  return visible_lines(value.dump(-1, ' ', false, ordered_json::error_handler_t::replace));
}

ordered_json head_json(std::string_view kind, const std::string& mark, const std::string& title) {
  ordered_json head{{"kind", kind}};
  if (!mark.empty()) head["mark"] = mark;
  head["title"] = title;
  return head;
}

ordered_json parameters_json(const mechanisms::Parameters& parameters) {
  ordered_json all = ordered_json::object();
  for (const auto& [name, value] : parameters)
    std::visit([&, &key = name](const auto& held) { all[key] = held; }, value);
  return all;
}

ordered_json price_json(const accounting::Price& price) {
  ordered_json all{{"epsilon", finite_or_null(price.epsilon)},
                   {"epsilon_lower", finite_or_null(price.epsilon_lower)},
                   {"delta", finite_or_null(price.delta)},
                   {"delta_lower", finite_or_null(price.delta_lower)},
                   {"certificate", name(price.certificate)}};
  if (price.certificate == Certificate::upper_bound_with_confidence) all["beta"] = finite_or_null(price.beta);
  if (price.nominal) {
    all["nominal_epsilon"] = finite_or_null(price.nominal->epsilon);
    all["nominal_delta"] = finite_or_null(price.nominal->delta);
  }
  if (!price.reason.empty()) all["reason"] = price.reason;
  return all;
}

ordered_json guarantee_json(const Guarantee& guarantee, const accounting::Price& price, const std::string& mark,
                            const std::vector<std::string>& not_protected) {
  ordered_json all{{"definition", guarantee.definition},
                   {"unit", name(guarantee.unit)},
                   {"relation", name(guarantee.relation)},
                   {"epsilon", finite_or_null(guarantee.epsilon)},
                   {"epsilon_lower", finite_or_null(price.epsilon_lower)},
                   {"delta", finite_or_null(guarantee.delta)},
                   {"delta_lower", finite_or_null(price.delta_lower)},
                   {"assumptions", ordered_json::array()},
                   {"certificate", name(guarantee.certificate)},
                   {"not_protected", not_protected}};
  if (guarantee.unit == Unit::w_event) all["width"] = guarantee.width;
  if (guarantee.relation == Relation::swap) all["window"] = guarantee.window;
  if (guarantee.certificate == Certificate::upper_bound_with_confidence) all["beta"] = finite_or_null(price.beta);
  if (!std::isfinite(guarantee.epsilon)) all["reason"] = mark.empty() ? price.reason : mark;
  for (const Assumption& assumption : guarantee.assumptions)
    all["assumptions"].push_back({{"text", assumption.text}, {"basis", name(assumption.basis)}});
  return all;
}

ordered_json debit_json(const std::optional<ledger::DebitReference>& debit) {
  if (!debit) return nullptr;
  return {{"id", debit->id.text()}, {"chain_head", debit->chain_head}};
}

ordered_json software_json() {
  return {{"name", "chronoveil"}, {"version", kVersion}, {"analysis", accounting::kAnalysisVersion}};
}

Result<Unit> unit_in(const Fields& fields) {
  CV_TRY(const std::string text, fields.text("unit"));
  return parse_unit(text);
}

Result<Relation> relation_in(const Fields& fields) {
  CV_TRY(const std::string text, fields.text("relation"));
  return parse_relation(text);
}

Result<mechanisms::Parameters> parameters_in(const Fields& plan) {
  const json* held = plan.find("parameters");
  if (!held || !held->is_object()) return unreadable(plan.path_to("parameters"));
  mechanisms::Parameters all;
  for (const auto& [key, value] : held->items()) {
    if (value.is_boolean())
      all[key] = value.get<bool>();
    else if (value.is_number_integer())
      all[key] = value.get<std::int64_t>();
    else if (value.is_number())
      all[key] = value.get<double>();
    else if (value.is_string())
      all[key] = value.get<std::string>();
    else
      return unreadable(plan.path_to("parameters"));
  }
  return all;
}

Result<accounting::Price> price_in(const Fields& plan) {
  CV_TRY(const Fields price, plan.object("price"));
  accounting::Price all;
  CV_TRY(all.epsilon, price.number("epsilon"));
  CV_TRY(all.epsilon_lower, price.number("epsilon_lower"));
  CV_TRY(all.delta, price.number("delta"));
  CV_TRY(all.delta_lower, price.number("delta_lower"));
  CV_TRY(all.certificate, price.one_of(kCertificateNames, "certificate"));
  if (all.certificate == Certificate::upper_bound_with_confidence) {
    CV_TRY(all.beta, price.finite("beta"));
    if (!(all.beta > 0 && all.beta < 1)) return unreadable(price.path_to("beta"));
  }
  if (price.find("nominal_epsilon") || price.find("nominal_delta")) {
    all.nominal.emplace();
    CV_TRY(all.nominal->epsilon, price.number("nominal_epsilon"));
    CV_TRY(all.nominal->delta, price.number("nominal_delta"));
  }
  if (price.has("reason")) {
    CV_TRY(all.reason, price.text("reason"));
  }
  CV_TRY(all.analysis, plan.one_of(kAnalysisNames, "analysis"));
  return all;
}

Result<accounting::Event> event_in(const Fields& plan) {
  const json* event = plan.find("event");
  if (!event) return unreadable(plan.path_to("event"));
  return accounting::event_from_json(*event);
}

Result<Guarantee> guarantee_in(const Fields& fields) {
  Guarantee all;
  CV_TRY(all.definition, fields.text("definition"));
  CV_TRY(all.unit, unit_in(fields));
  if (all.unit == Unit::w_event) {
    CV_TRY(all.width, fields.integer("width"));
  }
  CV_TRY(all.relation, relation_in(fields));
  if (all.relation == Relation::swap) {
    CV_TRY(all.window, fields.integer("window"));
    if (all.window < 2) return unreadable(fields.path_to("window"));
  }
  CV_TRY(all.epsilon, fields.number("epsilon"));
  CV_TRY(all.delta, fields.number("delta"));
  CV_TRY(all.certificate, fields.one_of(kCertificateNames, "certificate"));
  CV_TRY(const std::vector<Fields> assumptions, fields.objects("assumptions"));
  for (const Fields& row : assumptions) {
    Assumption assumption;
    CV_TRY(assumption.text, row.text("text"));
    CV_TRY(assumption.basis, row.one_of(kBasisNames, "basis"));
    all.assumptions.push_back(std::move(assumption));
  }
  return all;
}

Result<SlotAxis> axis_in(const Fields& document) {
  SlotAxis axis;
  CV_TRY(axis.zone, document.text("zone"));
  CV_TRY(axis.labels, document.texts("time"));
  CV_TRY(const json* boundaries, document.list("boundaries"));
  for (const json& item : *boundaries) {
    if (!item.is_number_integer() || (!axis.boundaries.empty() && item.get<std::int64_t>() <= axis.boundaries.back()))
      return unreadable("boundaries");
    axis.boundaries.push_back(item.get<std::int64_t>());
  }
  if (static_cast<std::int64_t>(axis.labels.size()) != axis.steps()) return unreadable("time");
  return axis;
}

Result<std::optional<ledger::DebitReference>> debit_in(const Fields& document) {
  if (!document.has("debit")) return std::nullopt;
  CV_TRY(const Fields debit, document.object("debit"));
  CV_TRY(const std::string id_text, debit.text("id"));
  CV_TRY(ledger::DebitId id, ledger::DebitId::parse(id_text));
  CV_TRY(std::string chain_head, debit.text("chain_head"));
  return ledger::DebitReference{std::move(id), std::move(chain_head)};
}

void members(BudgetLeft& budget, auto& with) {
  with("dataset", budget.dataset);
  with("epsilon", budget.epsilon);
  with("delta", budget.delta);
  with("fraction_left", budget.fraction_left);
  with("still_admits", budget.still_admits);
}

ordered_json budget_json(const BudgetLeft& budget) { return object_json(budget); }

Result<std::optional<BudgetLeft>> budget_in(const Fields& document) {
  if (!document.has("budget")) return std::nullopt;
  CV_TRY(const Fields budget, document.object("budget"));
  return object_in<BudgetLeft>(budget);
}

std::optional<std::string> kind_in(std::string_view text) {
  std::string before = "series";
  // Only the value of `kind` is kept: documents are large.
  const auto look = [&](int depth, json::parse_event_t event, const json& parsed) {
    if (event != json::parse_event_t::key) return true;
    if (depth != 1) return false;
    for (const auto& [member, kind] : {std::pair{"cells", "means"}, {"view", "perturb"}, {"model_sha256", "train"}})
      if (parsed == member) before = kind;
    return parsed == "kind";
  };
  const json document = json::parse(text, look, false);
  if (!document.is_object()) return std::nullopt;
  const auto said = document.find("kind");
  return said != document.end() && said->is_string() ? said->get<std::string>() : before;
}

bool read_object(std::string_view text, const std::function<void(const Fields&)>& read) {
  const json document = json::parse(text, nullptr, false);
  if (document.is_object()) read(fields_of(document));
  return document.is_object();
}

}  // namespace chronoveil::report
