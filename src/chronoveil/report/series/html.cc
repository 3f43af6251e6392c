#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/page/csv_link.h"
#include "chronoveil/report/page/markup.h"
#include "chronoveil/report/page/page.h"
#include "chronoveil/report/page/sections.h"
#include "chronoveil/report/page/words.h"
#include "chronoveil/report/series/charts.h"
#include "chronoveil/report/series/lead.h"
#include "chronoveil/report/series/totals_html.h"
#include "chronoveil/report/series/writers.h"

namespace chronoveil::report {
namespace {

std::string title_of(const Published& published) {
  return published.title.empty() ? "Published time series" : published.title;
}

std::string header(const Published& published) {
  const Release& release = published.release;
  const SlotWords slot = slot_words(release.axis);
  const std::string size = release.series() > 1 ? grouped(release.series()) + " series, " : "";
  return fmt::format("<h1>{}</h1>\n<p class=\"sub\">{}{} {}, {}, {}</p>\n", escaped(title_of(published)), size,
                     grouped(release.axis.steps()), release.axis.steps() == 1 ? slot.one : slot.many,
                     escaped(span_words(release.axis)), escaped(release.axis.zone));
}

// How ε grows where the caps were declared and the truth is above them.
std::string growth(const Published& published) {
  if (published.cap_growth.empty()) return "";
  Table table{.head = {"If somebody counts in", "then for them ε is at most"}, .rows = {}};
  for (const CapGrowth& row : published.cap_growth)
    table.rows.push_back(
        {row.times == 1 ? "as many slots as declared" : grouped(row.times) + " times as many slots as declared",
         rounded_up(row.epsilon)});
  return "<h3>If the declared cap is too low</h3>\n<p>The cap was stated by the publisher and could not be checked. "
         "People above it are protected less:</p>\n" +
         to_html(table);
}

std::string comparison_table(const Published& published) {
  if (!published.comparison || published.comparison->candidates.empty()) return "";
  const plan::Comparison& comparison = *published.comparison;
  const bool simulated = std::any_of(comparison.candidates.begin(), comparison.candidates.end(),
                                     [](const plan::Candidate& row) { return row.expected_error.has_value(); });
  double most = 0;
  for (const plan::Candidate& row : comparison.candidates)
    if (row.plan) most = std::max(most, row.information);
  std::string out =
      "<h3>What was compared</h3>\n<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">"
      "Mechanism</th><th class=\"n\" scope=\"col\">Noise scale</th><th class=\"n\" scope=\"col\">Error of a "
      "measured value</th><th class=\"n\" scope=\"col\">Information</th>";
  if (simulated) out += "<th class=\"n\" scope=\"col\">Error on the public sample</th>";
  out += "</tr></thead><tbody>\n";
  for (const plan::Candidate& row : comparison.candidates) {
    const bool chosen = row.mechanism == published.plan.mechanism;
    out += fmt::format("<tr{}><td>{}{}{}</td>", chosen ? " class=\"chosen\"" : "", escaped(row.mechanism),
                       chosen ? " <span class=\"tag good\">chosen</span>" : "",
                       row.mechanism == comparison.recommended ? " <span class=\"tag\">recommended</span>" : "");
    if (!row.plan) {
      out += fmt::format("<td colspan=\"{}\" class=\"quiet\">{}</td></tr>\n", simulated ? 4 : 3,
                         escaped(row.refusal.text()));
      continue;
    }
    out +=
        fmt::format("<td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{} %</td>", rounded(row.plan->scale),
                    rounded(row.noise_error), most > 0 ? rounded(row.information / most * 100) : "–");
    if (simulated)
      out += fmt::format("<td class=\"n\">{}</td>", row.expected_error ? rounded(*row.expected_error) : "–");
    out += "</tr>\n";
  }
  return out +
         "</tbody></table></div>\n<p class=\"quiet\">From public facts only. Information: how much all measured "
         "values together say about a constant level, relative to the best.</p>\n";
}

std::string plan_section(const Published& published) {
  const mechanisms::SeriesPlan& plan = published.plan;
  const bool laplace = plan.noise == NoiseKind::laplace;
  const auto mechanism = mechanisms::find_series_mechanism(plan.mechanism);
  std::string out = how_made(published.reason, plan.mechanism, mechanism);
  const auto pair = [&](std::string_view label, const std::string& html) { out += pair_of(label, html); };
  for (const auto& [label, value] : plan.parameters) pair(escaped(label), value_text(value));
  pair("Noise", fmt::format("{}; a measured value is within ±\u202f{} of what it measures {} times in 100",
                            escaped(noise_words(plan)),
                            rounded(mechanisms::noise_half_width(plan.noise, plan.scale, plan.level)),
                            rounded(plan.level * 100)));
  pair("Sensitivity",
       mechanism && (*mechanism)->keeps_steps
           ? fmt::format("{}, the most that one neighbour can move one kept value; the event says how many of them",
                         rounded_up(plan.sensitivity))
           : fmt::format("{} ({}), the most that one neighbour can move what is measured", rounded_up(plan.sensitivity),
                         laplace ? "L1" : "L2"));
  pair("Measured values", grouped(plan.measured));
  pair("Grid", fmt::format("whole steps of 2<sup>{}</sup>, so that no rounding tells", std::ilogb(plan.grid)));
  pair("Analysis", plan.price.analysis == accounting::Analysis::certified ? "certified" : "published, not certified");
  pair("Event", "<code>" + escaped(accounting::to_text(plan.event)) + "</code>");
  out += "</dl>\n" + comparison_table(published);
  return folded("How it was made", out);
}

// What a figure counts, what an interval covers, and what it does not.
std::string interval_note(const Published& published) {
  const auto mechanism = mechanisms::find_series_mechanism(published.plan.mechanism);
  return fmt::format("<p>{}{}The bounds are a {} interval: they cover the noise that was added{}.</p>\n",
                     mechanism && (*mechanism)->totals
                         ? "Each figure is a running total: the sum of its series from the start up to there. "
                         : "",
                     published.caps == Basis::enforced ? "The figures count what is within the cap. " : "",
                     percent(published.release.level),
                     published.caps == Basis::enforced ? ", not what the cap left out" : "");
}

}  // namespace

std::string to_html(const Published& published, const std::string& csv) {
  const Release& release = published.release;
  Page page = page_of(title_of(published), release.mark);
  page.body =
      header(published) + series_lead(published, interval_note(published)) +
      totals_section(release, measure_of(published)) +
      section("The figures", series_charts(published, csv) + csv_note(csv) + summary_table(release)) +
      promise(facts_of(published), release.guarantee, release.mark) +
      promise_in_full(release.guarantee, release.mark, published.not_protected, growth(published)) +
      plan_section(published) + budget_section(published.budget, published.debit) +
      citation(page.title, release.axis, published.plan.mechanism, release.guarantee, release.mark, published.debit) +
      footer();
  return to_html(page);
}

}  // namespace chronoveil::report
