#include <fmt/format.h>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/page/csv_link.h"
#include "chronoveil/report/page/markup.h"
#include "chronoveil/report/page/page.h"
#include "chronoveil/report/page/sections.h"
#include "chronoveil/report/perturbed/drawing.h"
#include "chronoveil/report/perturbed/words.h"

namespace chronoveil::report {
namespace {

// Names of columns and of categories that are listed one by one.
constexpr std::size_t kMostNames = 30;

std::string title_of(const Perturbed& perturbed) {
  return perturbed.title.empty() ? "Released series" : perturbed.title;
}

std::string header(const Perturbed& perturbed) {
  return fmt::format("<h1>{}</h1>\n<p class=\"sub\">{}.</p>\n", escaped(title_of(perturbed)),
                     !values_move(perturbed) ? "The values were changed, their times were not"
                     : perturbed.times_move  ? "The times were moved, the values were not changed"
                                             : "The values were moved in time, not changed");
}

std::string reading_words(const Perturbed& perturbed) {
  if (!values_move(perturbed))
    return "Read it as any other file: each value was changed by itself, at random, and is in the row it came from.";
  if (perturbed.times_move)
    return "Read it as a list of values with blurred times: each value is as it was measured, the time beside it may "
           "be "
           "that of a row nearby.";
  return "Read it as any other file: times are as they were, and beside each stands a value that was measured then or "
         "nearby.";
}

// What was released and how to read it, how far it is from what was measured, and what it does not protect.
std::string lead(const Perturbed& perturbed, const std::string& csv) {
  const Facts facts = facts_of(perturbed);
  const std::string changes = values_move(perturbed) ? moves_words(perturbed.expected) : kept_words(perturbed.plan);
  std::string out = fmt::format(
      "<section class=\"lead\" aria-label=\"The result\">\n<div id=\"result\">\n<p class=\"newest\">{} {} of {}</p>\n"
      "<p>{}</p>\n{}</div>\n",
      grouped(perturbed.rows), perturbed.rows == 1 ? "row" : "rows", escaped(list_words(perturbed.columns, 3)),
      escaped(reading_words(perturbed)), csv_note(csv));
  out += "<div id=\"sure\">\n<p>" + escaped(changes.empty() ? facts.cap : changes) + "</p>\n</div>\n";
  if (facts.limits_stand_out)
    out += "<p class=\"notice\"><b>Not protected:</b> " + escaped(facts.not_protected) + "</p>\n";
  return out + "</section>\n";
}

std::string released_section(const Perturbed& perturbed) {
  std::string out = "<dl class=\"pairs\">\n";
  out += pair_of("Rows", grouped(perturbed.rows) + ", as many as came in");
  out += pair_of("Protected columns", escaped(list_words(perturbed.columns, kMostNames)));
  out += pair_of("Time", perturbed.time.empty() ? "rows have none: their order is their time"
                                                : "column " + escaped(perturbed.time));
  if (!perturbed.kept.empty())
    out += pair_of("Left as they are", escaped(list_words(perturbed.kept, kMostNames)) + " (public)");
  if (perturbed.empty > 0) out += pair_of("Empty", grouped(perturbed.empty) + " values, where none arrived");
  return folded("What was released", out + "</dl>\n");
}

std::string law_table(const mechanisms::Moves& law, std::int64_t window) {
  Table table{.head = {"By the law", "Value"}, .rows = {{"Mean distance in rows", rounded(law.mean_distance)}}};
  if (law.missing > 0) table.rows.push_back({"Values that get lost", percent(law.missing)});
  if (law.empty > 0) table.rows.push_back({"Rows that stay empty", percent(law.empty)});
  table.rows.push_back(
      {fmt::format("Cost of a value: distance, and {} for one lost or empty", grouped(window)), rounded(law.cost)});
  return to_html(table);
}

std::string moves_section(const Perturbed& perturbed) {
  const mechanisms::Moves& law = perturbed.expected;
  if (!values_move(perturbed) || law.shares.empty()) return "";
  return section("How far values move",
                 moves_figure(law) +
                     "<p class=\"quiet\">This is what the method does to any series, found by running it on made-up "
                     "values. How far the values of this release really moved is not shown: that would say more "
                     "about their order than was paid for.</p>\n" +
                     law_table(law, perturbed.plan.window));
}

std::string curve_section(const Perturbed& perturbed) {
  const std::string figure = curve_figure(perturbed), difference = nominal_words(perturbed);
  std::string out = figure;
  if (figure.empty()) out += "<p>There is no certified curve for this method.</p>\n";
  if (!perturbed.mark.empty())
    out +=
        "<p>All this holds only if the random choices are secret. In this release they are known, so it has no such "
        "protection.</p>\n";
  if (!difference.empty()) out += "<p>" + escaped(difference) + "</p>\n";
  return section("How much is protected", out);
}

std::string categories_words(const std::vector<std::string>& categories) {
  return fmt::format("{}: {}", grouped(static_cast<std::int64_t>(categories.size())),
                     escaped(list_words(categories, kMostNames)));
}

std::string plan_section(const Perturbed& perturbed) {
  const mechanisms::TemporalPlan& plan = perturbed.plan;
  const auto mechanism = mechanisms::find_temporal_mechanism(plan.mechanism);
  std::string out = how_made(perturbed.reason, plan.mechanism, mechanism);
  if (plan.window > 0) out += pair_of("Window", grouped(plan.window) + " rows");
  if (perturbed.columns.size() > 1)
    out += pair_of("Columns", plan.lanes == 1 ? "together: the values of a row stay together"
                                              : "each on its own; their costs add up");
  for (const auto& [label, value] : plan.parameters) out += pair_of(escaped(label), value_text(value));
  if (plan.lower && plan.upper)
    out += pair_of("Bounds of a value", fmt::format("{} to {}", rounded(*plan.lower, 6), rounded(*plan.upper, 6)));
  if (!plan.categories.empty()) out += pair_of("Values there can be", categories_words(plan.categories));
  if (plan.length) out += pair_of("Length", fmt::format("at most {} rows", grouped(*plan.length)));
  const bool certified = plan.price.analysis == accounting::Analysis::certified;
  out += pair_of("Analysis", certified ? "certified" : "published, not certified");
  out += pair_of("ε at δ = " + rounded(plan.delta), certified ? "at most " + rounded_up(plan.price.epsilon)
                                                              : rounded_up(plan.price.epsilon) + ", as published");
  if (plan.price.nominal)
    out += pair_of("In a paper", fmt::format("ε = {}, δ = {}, for single outputs", rounded(plan.price.nominal->epsilon),
                                             rounded(plan.price.nominal->delta)));
  out += pair_of("Event", "<code>" + escaped(accounting::to_text(plan.event)) + "</code>");
  return folded("How it was made", out + "</dl>\n");
}

}  // namespace

std::string perturbed_html(const Perturbed& perturbed, const std::string& csv) {
  Page page = page_of(title_of(perturbed), perturbed.mark);
  page.body = header(perturbed) + lead(perturbed, csv) + moves_section(perturbed) +
              promise(facts_of(perturbed), perturbed.guarantee, perturbed.mark, perturbed.plan.price.beta) +
              curve_section(perturbed) + promise_in_full(perturbed.guarantee, perturbed.mark, perturbed.not_protected) +
              released_section(perturbed) + plan_section(perturbed) +
              budget_section(perturbed.budget, perturbed.debit) +
              citation(fmt::format("{}, {} rows", page.title, grouped(perturbed.rows)), perturbed.plan.mechanism,
                       perturbed.guarantee, perturbed.mark, perturbed.debit) +
              footer();
  return to_html(page);
}

}  // namespace chronoveil::report
