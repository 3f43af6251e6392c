#include <nlohmann/json.hpp>

#include "chronoveil/report/document/plan_members.h"
#include "chronoveil/report/look/look.h"

namespace chronoveil::report {

void members(LookChoice& choice, auto& with) {
  with("length", choice.length);
  with("cap", choice.cap);
  with("noise", choice.noise);
  with("typical", choice.typical);
  with("left_out", choice.left_out);
  with("error", choice.error);
}

namespace {

using json = nlohmann::ordered_json;

json question_json(const LookQuestion& question) {
  return {{"of", question.of},
          {"length", question.length},
          {"first", question.first},
          {"last", question.last},
          {"people", question.people}};
}

Result<LookQuestion> question_in(const Fields& fields) {
  LookQuestion all;
  CV_TRY(all.of, fields.text("of"));
  CV_TRY(all.length, fields.text("length"));
  CV_TRY(const nlohmann::json* people, fields.list("people"));
  for (const auto& [key, into] : {std::pair("first", &all.first), {"last", &all.last}, {"people", &all.people}})
    CV_CHECK(fields.numbers_into(*into, key, people->size(), 0));
  return all;
}

Result<Look> look_in(const Fields& document) {
  Look all;
  if (document.has("mark")) {
    CV_TRY(all.mark, document.text("mark"));
  }
  CV_TRY(all.title, document.text("title"));
  CV_TRY(const Fields guarantee, document.object("guarantee"));
  CV_TRY(all.guarantee, guarantee_in(guarantee));
  CV_TRY(all.not_protected, guarantee.texts("not_protected"));
  CV_TRY(const Fields plan, document.object("plan"));
  CV_TRY(all.plan, object_in<mechanisms::SeriesPlan>(plan));
  if (document.has("asked")) {
    CV_TRY(all.asked, document.text("asked"));
  }
  CV_TRY(all.people, document.finite("people"));
  CV_TRY(const std::vector<Fields> questions, document.objects("questions"));
  for (const Fields& row : questions) {
    CV_TRY(LookQuestion question, question_in(row));
    all.questions.push_back(std::move(question));
  }
  CV_TRY(const std::vector<Fields> choices, document.objects("choices"));
  for (const Fields& row : choices) {
    CV_TRY(LookChoice choice, object_in<LookChoice>(row));
    all.choices.push_back(std::move(choice));
  }
  CV_TRY(const std::vector<Fields> proposal, document.objects("proposal"));
  for (const Fields& row : proposal) {
    CV_TRY(std::string key, row.text("key"));
    CV_TRY(std::string value, row.text("value"));
    all.proposal.emplace_back(std::move(key), std::move(value));
  }
  CV_TRY(all.debit, debit_in(document));
  CV_TRY(all.budget, budget_in(document));
  return all;
}

}  // namespace

std::string look_json(const Look& look) {
  json all = head_json("look", look.mark, look.title);
  all["guarantee"] = guarantee_json(look.guarantee, look.plan.price, look.mark, look.not_protected);
  all["plan"] = object_json(look.plan);
  all["asked"] = look.asked;
  all["people"] = look.people;
  for (const char* list : {"questions", "choices", "proposal"}) all[list] = json::array();
  for (const LookQuestion& question : look.questions) all["questions"].push_back(question_json(question));
  for (const LookChoice& choice : look.choices) all["choices"].push_back(object_json(choice));
  for (const auto& [key, value] : look.proposal) all["proposal"].push_back({{"key", key}, {"value", value}});
  all["debit"] = debit_json(look.debit);
  if (look.budget) all["budget"] = budget_json(*look.budget);
  all["software"] = software_json();
  return text_of(all) + "\n";
}

Result<Look> look_from_json(std::string_view text) { return read_document(text, look_in); }

}  // namespace chronoveil::report
