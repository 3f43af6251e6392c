#include <limits>

#include "chronoveil/report/document/json_names.h"
#include "chronoveil/report/document/json_parts.h"
#include "chronoveil/report/series/writers.h"

namespace chronoveil::report {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

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
  CV_TRY(all.event, event_in(plan));
  CV_TRY(all.price, price_in(plan));
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
      CV_TRY(candidate.refusal.message, row.text("refusal"));
    }
    all.candidates.push_back(std::move(candidate));
  }
  return all;
}

Result<void> read_guarantee(const Fields& fields, Published& published) {
  CV_TRY(published.release.guarantee, guarantee_in(fields));
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
    CV_TRY(const nlohmann::json* sampled, row.list("sampled"));
    if (sampled->size() != steps) return unreadable(row.path_to("sampled"));
    for (const nlohmann::json& item : *sampled) {
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
  CV_TRY(all.debit, debit_in(document));
  CV_TRY(all.budget, budget_in(document));
  CV_TRY(all.release.level, document.number("level"));
  CV_TRY(all.release.axis, axis_in(document));
  CV_CHECK(read_series(document, all.release));
  return all;
}

}  // namespace

Result<Published> from_json(std::string_view text) { return read_document(text, published_in); }

}  // namespace chronoveil::report
