#include <limits>
#include <nlohmann/json.hpp>
#include <span>

#include "chronoveil/report/document/long_document.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/document/place_grid_json.h"
#include "chronoveil/report/document/plan_members.h"
#include "chronoveil/report/series/totals_json.h"
#include "chronoveil/report/series/writers.h"

namespace chronoveil::report {

void members(CapGrowth& growth, auto& with) {
  with("times", growth.times);
  with("epsilon", growth.epsilon);
}

namespace {

using json = nlohmann::ordered_json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

json comparison_json(const plan::Comparison& comparison) {
  json candidates = json::array();
  for (const plan::Candidate& candidate : comparison.candidates) {
    json row{{"mechanism", candidate.mechanism}};
    if (candidate.plan) {
      row["noise_error"] = finite_or_null(candidate.noise_error);
      row["information"] = finite_or_null(candidate.information);
      row["expected_error"] = candidate.expected_error ? finite_or_null(*candidate.expected_error) : json(nullptr);
      if (candidate.expected_total_error) row["expected_total_error"] = finite_or_null(*candidate.expected_total_error);
      row["plan"] = object_json(*candidate.plan);
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
  for (const CapGrowth& growth : published.cap_growth) all["cap_growth"].push_back(object_json(growth));
  return all;
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
      if (row.has("expected_total_error")) {
        CV_TRY(candidate.expected_total_error, row.number("expected_total_error"));
      }
      CV_TRY(const Fields plan, row.object("plan"));
      CV_TRY(candidate.plan, object_in<mechanisms::SeriesPlan>(plan));
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
    CV_TRY(const CapGrowth growth, object_in<CapGrowth>(row));
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
  CV_CHECK(read_head(document, all));
  CV_TRY(const Fields guarantee, document.object("guarantee"));
  CV_CHECK(read_guarantee(guarantee, all));
  CV_CHECK(read_plan_and_debit(document, all, comparison_in));
  CV_TRY(all.release.level, document.number("level"));
  CV_TRY(all.release.axis, axis_in(document));
  CV_TRY(all.release.totals, totals_in(document, all.release.axis.steps()));
  CV_CHECK(read_series(document, all.release));
  CV_TRY(all.release.grid, grid_in(document, all.release.keys));
  return all;
}

}  // namespace

std::string to_json(const Published& published) {
  const Release& release = published.release;
  LongDocument out(4096 + release.estimate.value.size() * 60, head_json("series", release.mark, published.title));
  out.member("guarantee", guarantee_in_full(published));
  out.plan_and_debit(published, published.comparison ? comparison_json(*published.comparison) : json());
  out.member("level", finite_or_null(release.level));
  out.axis(release.axis);
  if (release.grid) out.member("grid", grid_json(*release.grid));
  std::string& text = out.text();
  append_totals(text, release.totals);
  text.append("\"series\":[");
  append_series(text, release);
  text.append("]}\n");
  return std::move(text);
}

Result<Published> from_json(std::string_view text) { return read_document(text, published_in); }

}  // namespace chronoveil::report
