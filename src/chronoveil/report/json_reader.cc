#include <limits>
#include <nlohmann/json.hpp>

#include "chronoveil/accounting/event_json.h"
#include "chronoveil/report/json_names.h"
#include "chronoveil/report/writers.h"

namespace chronoveil::report {
namespace {

using json = nlohmann::json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Errors name the field by its path, never what it holds.
Failure unreadable(const std::string& path) {
  return fail(ErrorKind::bad_data, "release: the field '" + path + "' is missing or not what a release JSON holds");
}

// One object of the document and where it stands.
class Fields {
 public:
  Fields(const json& object, std::string path) : object_(&object), path_(std::move(path)) {}

  std::string path_to(const char* key) const { return path_.empty() ? key : path_ + "." + key; }
  bool has(const char* key) const { return object_->contains(key) && !(*object_)[key].is_null(); }
  const json* find(const char* key) const { return object_->contains(key) ? &(*object_)[key] : nullptr; }

  Result<const json*> list(const char* key) const {
    const json* field = find(key);
    if (!field || !field->is_array()) return unreadable(path_to(key));
    return field;
  }
  Result<Fields> object(const char* key) const {
    const json* field = find(key);
    if (!field || !field->is_object()) return unreadable(path_to(key));
    return Fields(*field, path_to(key));
  }
  Result<std::string> text(const char* key) const {
    const json* field = find(key);
    if (!field || !field->is_string()) return unreadable(path_to(key));
    return field->get<std::string>();
  }
  Result<std::int64_t> integer(const char* key) const {
    const json* field = find(key);
    if (!field || !field->is_number_integer()) return unreadable(path_to(key));
    return field->get<std::int64_t>();
  }
  Result<double> number(const char* key, double null = kInfinity) const {
    const json* field = find(key);
    if (field && field->is_null()) return null;
    if (!field || !field->is_number()) return unreadable(path_to(key));
    return field->get<double>();
  }
  template <class Names>
  Result<typename Names::value_type::second_type> one_of(const Names& names, const char* key) const {
    CV_TRY(const std::string text_held, text(key));
    for (const auto& [text_known, value] : names)
      if (text_known == text_held) return value;
    return unreadable(path_to(key));
  }
  Result<std::vector<std::string>> texts(const char* key) const {
    CV_TRY(const json* held, list(key));
    std::vector<std::string> all;
    for (const json& item : *held) {
      if (!item.is_string()) return unreadable(path_to(key));
      all.push_back(item.get<std::string>());
    }
    return all;
  }
  // The objects of a list.
  Result<std::vector<Fields>> objects(const char* key) const {
    CV_TRY(const json* held, list(key));
    std::vector<Fields> all;
    for (const json& item : *held) {
      const std::string path = path_to(key) + "[" + std::to_string(all.size()) + "]";
      if (!item.is_object()) return unreadable(path);
      all.emplace_back(item, path);
    }
    return all;
  }
  // Appends a list of `size` numbers; `null` stands for what JSON cannot hold.
  Result<void> numbers_into(std::vector<double>& all, const char* key, std::size_t size, double null) const {
    CV_TRY(const json* held, list(key));
    if (held->size() != size) return unreadable(path_to(key));
    for (const json& item : *held) {
      if (!item.is_number() && !item.is_null()) return unreadable(path_to(key));
      all.push_back(item.is_null() ? null : item.get<double>());
    }
    return {};
  }

 private:
  const json* object_;
  std::string path_;
};

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

Result<mechanisms::PublicShape> shape_in(const Fields& shape) {
  mechanisms::PublicShape all;
  CV_TRY(all.series, shape.integer("series"));
  CV_TRY(all.steps, shape.integer("steps"));
  CV_TRY(all.unit, unit_in(shape));
  CV_TRY(all.relation, relation_in(shape));
  CV_TRY(all.width, shape.integer("width"));
  CV_TRY(all.max_steps, shape.integer("max_steps"));
  CV_TRY(all.max_per_slot, shape.integer("max_per_slot"));
  CV_TRY(all.maximum, shape.integer("maximum"));
  return all;
}

Result<accounting::Price> price_in(const Fields& price) {
  accounting::Price all;
  CV_TRY(all.epsilon, price.number("epsilon"));
  CV_TRY(all.epsilon_lower, price.number("epsilon_lower"));
  CV_TRY(all.delta, price.number("delta"));
  CV_TRY(all.delta_lower, price.number("delta_lower"));
  CV_TRY(all.certificate, price.one_of(kCertificateNames, "certificate"));
  if (price.has("reason")) {
    CV_TRY(all.reason, price.text("reason"));
  }
  return all;
}

Result<mechanisms::SeriesPlan> plan_in(const Fields& plan) {
  mechanisms::SeriesPlan all;
  CV_TRY(all.mechanism, plan.text("mechanism"));
  CV_TRY(all.parameters, parameters_in(plan));
  CV_TRY(all.noise, plan.one_of(kNoiseNames, "noise"));
  CV_TRY(all.scale, plan.number("scale"));
  CV_TRY(all.grid, plan.number("grid"));
  CV_TRY(all.sensitivity, plan.number("sensitivity"));
  CV_TRY(all.measured, plan.integer("measured"));
  CV_TRY(all.level, plan.number("level"));
  CV_TRY(all.delta, plan.number("delta"));
  const json* event = plan.find("event");
  if (!event) return unreadable(plan.path_to("event"));
  CV_TRY(all.event, accounting::event_from_json(*event));
  CV_TRY(const Fields price, plan.object("price"));
  CV_TRY(all.price, price_in(price));
  CV_TRY(all.price.analysis, plan.one_of(kAnalysisNames, "analysis"));
  CV_TRY(const Fields shape, plan.object("shape"));
  CV_TRY(all.shape, shape_in(shape));
  return all;
}

Result<plan::Comparison> comparison_in(const Fields& comparison) {
  plan::Comparison all;
  CV_TRY(all.recommended, comparison.text("recommended"));
  CV_TRY(all.reason, comparison.text("reason"));
  CV_TRY(const std::vector<Fields> rows, comparison.objects("candidates"));
  for (const Fields& row : rows) {
    plan::Candidate candidate;
    CV_TRY(candidate.mechanism, row.text("mechanism"));
    if (row.has("plan")) {
      CV_TRY(candidate.noise_error, row.number("noise_error"));
      CV_TRY(candidate.information, row.number("information"));
      if (row.has("expected_error")) {
        CV_TRY(candidate.expected_error, row.number("expected_error"));
      }
      CV_TRY(const Fields plan, row.object("plan"));
      CV_TRY(candidate.plan, plan_in(plan));
    } else {
      CV_TRY(candidate.refusal, row.text("refusal"));
    }
    all.candidates.push_back(std::move(candidate));
  }
  return all;
}

Result<void> read_guarantee(const Fields& fields, Published& published) {
  Guarantee& all = published.release.guarantee;
  CV_TRY(all.definition, fields.text("definition"));
  CV_TRY(all.unit, unit_in(fields));
  if (all.unit == Unit::w_event) {
    CV_TRY(all.width, fields.integer("width"));
  }
  CV_TRY(all.relation, relation_in(fields));
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
  CV_TRY(published.caps, fields.one_of(kBasisNames, "caps"));
  CV_TRY(const std::vector<Fields> growths, fields.objects("cap_growth"));
  for (const Fields& row : growths) {
    CapGrowth growth;
    CV_TRY(growth.times, row.integer("times"));
    CV_TRY(growth.epsilon, row.number("epsilon"));
    published.cap_growth.push_back(growth);
  }
  CV_TRY(published.not_protected, fields.texts("not_protected"));
  return {};
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

Result<void> read_series(const Fields& document, Release& release) {
  CV_TRY(const std::vector<Fields> rows, document.objects("series"));
  const std::size_t steps = release.axis.labels.size();
  Estimate& estimate = release.estimate;
  for (const Fields& row : rows) {
    if (row.has("key")) {
      CV_TRY(std::string key, row.text("key"));
      release.keys.push_back(std::move(key));
    }
    CV_CHECK(row.numbers_into(estimate.value, "value", steps, std::numeric_limits<double>::quiet_NaN()));
    CV_CHECK(row.numbers_into(estimate.lower, "lower", steps, -kInfinity));
    CV_CHECK(row.numbers_into(estimate.upper, "upper", steps, kInfinity));
    CV_TRY(const json* sampled, row.list("sampled"));
    if (sampled->size() != steps) return unreadable(row.path_to("sampled"));
    for (const json& item : *sampled) {
      if (item != 0 && item != 1) return unreadable(row.path_to("sampled"));
      estimate.sampled.push_back(item == 1 ? 1 : 0);
    }
  }
  // One series without a name, or a name for each.
  if (rows.size() != static_cast<std::size_t>(release.series())) return unreadable("series");
  return {};
}

Result<Published> published_in(const Fields& document) {
  Published all;
  CV_TRY(all.title, document.text("title"));
  if (document.has("mark")) {
    CV_TRY(all.release.mark, document.text("mark"));
  }
  CV_TRY(const Fields guarantee, document.object("guarantee"));
  CV_CHECK(read_guarantee(guarantee, all));
  CV_TRY(const Fields plan, document.object("plan"));
  CV_TRY(all.plan, plan_in(plan));
  CV_TRY(all.reason, plan.text("reason"));
  if (plan.has("comparison")) {
    CV_TRY(const Fields comparison, plan.object("comparison"));
    CV_TRY(all.comparison, comparison_in(comparison));
  }
  if (document.has("debit")) {
    CV_TRY(const Fields debit, document.object("debit"));
    CV_TRY(const std::string id_text, debit.text("id"));
    CV_TRY(ledger::DebitId id, ledger::DebitId::parse(id_text));
    CV_TRY(std::string chain_head, debit.text("chain_head"));
    all.debit = ledger::DebitReference{std::move(id), std::move(chain_head)};
  }
  if (document.has("budget")) {
    CV_TRY(const Fields budget, document.object("budget"));
    BudgetLeft left;
    CV_TRY(left.dataset, budget.text("dataset"));
    CV_TRY(left.epsilon, budget.number("epsilon"));
    CV_TRY(left.delta, budget.number("delta"));
    CV_TRY(left.fraction_left, budget.number("fraction_left"));
    CV_TRY(left.still_admits, budget.text("still_admits"));
    all.budget = std::move(left);
  }
  CV_TRY(all.release.level, document.number("level"));
  CV_TRY(all.release.axis, axis_in(document));
  CV_CHECK(read_series(document, all.release));
  return all;
}

}  // namespace

Result<Published> from_json(std::string_view text) {
  const json document = json::parse(text, nullptr, false);
  if (!document.is_object()) return fail(ErrorKind::bad_data, "release: this is not a release JSON");
  Result<Published> published = published_in(Fields(document, ""));
  // What other modules call a wrong parameter is, in a file, bad data.
  if (!published && published.error().kind == ErrorKind::usage)
    return fail(ErrorKind::bad_data, "release: " + published.error().message);
  return published;
}

}  // namespace chronoveil::report
