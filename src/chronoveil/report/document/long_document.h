// A release whose values are a long list: its members go straight to the text, a line each, since a document in memory
// would take ten times the room. What its kinds have in common is written and read here.
#pragma once

#include <string>
#include <string_view>

#include "chronoveil/report/document/members.h"

namespace chronoveil::report {

class LongDocument {
 public:
  // `bytes`: about how long it becomes.
  LongDocument(std::size_t bytes, const nlohmann::ordered_json& head) {
    text_.reserve(bytes);
    text_ += '{';
    for (const auto& [key, value] : head.items()) member(key, value);
  }

  void member(std::string_view key, const nlohmann::ordered_json& value) {
    text_.append("\"").append(key).append("\":").append(text_of(value)).append(",\n");
  }

  // The plan with its reason, and what it was compared with, if anything; debit, budget and software.
  template <class Published>
  void plan_and_debit(const Published& published, const nlohmann::ordered_json& comparison) {
    nlohmann::ordered_json plan = object_json(published.plan);
    plan["reason"] = published.reason;
    if (!comparison.is_null()) plan["comparison"] = comparison;
    member("plan", plan);
    member("debit", debit_json(published.debit));
    if (published.budget) member("budget", budget_json(*published.budget));
    member("software", software_json());
  }

  void axis(const SlotAxis& axis) {
    member("zone", axis.zone);
    member("boundaries", axis.boundaries);
    member("time", axis.labels);
  }

  // For the list, which is last.
  std::string& text() { return text_; }

 private:
  std::string text_;
};

// Title and mark.
template <class Published>
Result<void> read_head(const Fields& document, Published& into) {
  CV_TRY(into.title, document.text("title"));
  if (document.has("mark")) {
    CV_TRY(into.release.mark, document.text("mark"));
  }
  return {};
}

// As LongDocument::plan_and_debit writes them, without software. `comparison_in` reads what the plan was compared with.
template <class Published, class Comparison>
Result<void> read_plan_and_debit(const Fields& document, Published& into, Comparison comparison_in) {
  CV_TRY(const Fields plan, document.object("plan"));
  CV_TRY(into.plan, object_in<decltype(into.plan)>(plan));
  CV_TRY(into.reason, plan.text("reason"));
  if (plan.has("comparison")) {
    CV_TRY(const Fields comparison, plan.object("comparison"));
    CV_TRY(into.comparison, comparison_in(comparison));
  }
  CV_TRY(into.debit, debit_in(document));
  CV_TRY(into.budget, budget_in(document));
  return {};
}

}  // namespace chronoveil::report
