#include "output/look_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "chronoveil/base/plain_text.h"
#include "output/job_output.h"
#include "output/text_table.h"

namespace chronoveil::cli {
namespace {

std::string noise_line(const mechanisms::SeriesPlan& plan) {
  return fmt::format("noise     {}: {} on the number of people in each of {} bins\n",
                     plan.noise == NoiseKind::laplace ? "Laplace b" : "Gaussian σ", figure(plan.scale),
                     plan.shape.steps);
}

std::string name_of(const report::LookQuestion& question) {
  if (question.of == "value") return "a value";
  return question.of == "slots" ? "slots of " + visible(question.length) : "records in one slot";
}

std::string number(double value) { return fmt::format("{:.0f}", value); }
std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

// Of means the noise is told as a share of the width between the bounds.
bool is_of_means(const report::Look& look) {
  return std::any_of(look.questions.begin(), look.questions.end(), [](const auto& each) { return each.of == "value"; });
}

std::string quantiles_text(const report::Look& look) {
  std::vector<std::vector<std::string>> rows{{"each person", "half have at most", "90 %", "99 %", "not seen, at most"}};
  for (const report::LookQuestion& question : look.questions) {
    std::vector<std::string> row{name_of(question)};
    for (const double share : {0.5, 0.9, 0.99}) {
      const std::optional<double> quantile = engine::look_quantile(look, question, share);
      row.push_back(!quantile ? "not seen" : question.of == "value" ? figure(*quantile) : number(*quantile));
    }
    row.push_back(number(engine::most_unseen(look, question)));
    rows.push_back(std::move(row));
  }
  return table_text(rows);
}

// Of each length the caps around the best one: enough to see what another would cost.
std::string choices_text(const report::Look& look) {
  constexpr std::ptrdiff_t kAround = 2;
  const bool means = is_of_means(look);
  std::vector<std::vector<std::string>> rows{{"slots of", means ? "max_cells" : "max_steps", "left out",
                                              means ? "noise of a mean" : "noise of a count",
                                              means ? "people in a cell" : "typical count", "predicted error"}};
  for (auto first = look.choices.begin(); first != look.choices.end();) {
    const auto end =
        std::find_if(first, look.choices.end(), [&](const auto& each) { return each.length != first->length; });
    const auto best = std::min_element(first, end, [](const auto& a, const auto& b) { return a.error < b.error; });
    const auto from = best - std::min(kAround, best - first), to = best + std::min(kAround + 1, end - best);
    for (auto each = from; each != to && std::isfinite(best->error); ++each)
      rows.push_back({visible(each->length), std::to_string(each->cap), percent(each->left_out),
                      means ? percent(each->noise) : figure(each->noise), figure(each->typical), percent(each->error)});
    first = end;
  }
  return rows.size() == 1 ? "" : "\n" + table_text(rows);
}

}  // namespace

std::string look_plan_text(const engine::LookPlanned& planned) {
  std::string text;
  for (const report::LookQuestion& question : planned.questions)
    text += fmt::format("asks      people by {}: {}, each seen if it has at least {} people\n", name_of(question),
                        counted(std::ssize(question.first), "bin", "bins"),
                        figure(engine::least_seen(question, planned.chosen)));
  return text + noise_line(planned.chosen) + guarantee_text(planned.guarantee);
}

nlohmann::ordered_json look_plan_json(const engine::LookPlanned& planned) {
  report::Look look;
  look.guarantee = planned.guarantee;
  look.plan = planned.chosen;
  look.questions = planned.questions;
  for (report::LookQuestion& question : look.questions) question.people.assign(question.first.size(), 0);
  auto all = nlohmann::ordered_json::parse(report::look_json(look));
  for (nlohmann::ordered_json& question : all["questions"]) question.erase("people");
  for (const char* later : {"people", "choices", "proposal", "debit"}) all.erase(later);
  return all;
}

std::string look_text(const report::Look& look) {
  std::string text = guarantee_text(look.guarantee) + noise_line(look.plan);
  text += fmt::format("people    about {}\n\n", number(std::max(0.0, look.people)));
  text += quantiles_text(look) + choices_text(look) + "\n";
  if (look.proposal.empty())
    text +=
        "Too few people for this noise: no cap can be proposed, since too many are in bins too small to see. A larger "
        "--epsilon shows more.\n";
  else
    text += engine::proposed_lines(look) + "\n";
  return text + debit_text(look.debit, look.budget);
}

}  // namespace chronoveil::cli
