#include <fmt/format.h>

#include <algorithm>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/means/drawing.h"
#include "chronoveil/report/means/lead.h"
#include "chronoveil/report/means/table.h"
#include "chronoveil/report/means/words.h"
#include "chronoveil/report/page/csv_link.h"
#include "chronoveil/report/page/markup.h"
#include "chronoveil/report/page/page.h"
#include "chronoveil/report/page/sections.h"
#include "chronoveil/report/series/charts.h"

namespace chronoveil::report {
namespace {

std::string title_of(const MeansPublished& published) {
  return published.title.empty() ? "Published means" : published.title;
}

std::string header(const MeansPublished& published) {
  const MeansRelease& release = published.release;
  const SlotWords slot = slot_words(release.axis);
  return fmt::format("<h1>{}</h1>\n<p class=\"sub\">Mean {} per place and {}. {}. {}, {}</p>\n",
                     escaped(title_of(published)), escaped(measure_words(published)), escaped(slot.one),
                     escaped(cell_number_words(cell_numbers(release))), escaped(span_words(release.axis)),
                     escaped(release.axis.zone));
}

// What an interval covers, and what it does not.
std::string interval_note(const MeansRelease& release) {
  const std::string out = fmt::format(
      "<p>The bounds are a {} interval: they cover the noise that was added. They do not cover what a cap left out, or "
      "what moving values into their bounds changed.</p>\n",
      percent(release.level));
  return release.smoothed == Smoothed::no ? out : out + "<p>" + smoothed_words(release.smoothed) + "</p>\n";
}

bool is_chosen(const plan::MeansCandidate& row, const mechanisms::CellsPlan& plan) {
  if (row.mechanism != plan.mechanism) return false;
  const auto grouping = plan.parameters.find("grouping");
  const bool wrapped =
      grouping != plan.parameters.end() && grouping->second == mechanisms::Value(std::string("wrap_around"));
  return wrapped == (row.variant == "wrap_around");
}

std::string comparison_part(const MeansPublished& published) {
  if (!published.comparison || published.comparison->candidates.empty()) return "";
  const plan::MeansComparison& comparison = *published.comparison;
  const auto whole = [](std::int64_t number) { return number > 0 ? grouped(number) : std::string("–"); };
  std::string out = fmt::format(
      "<h3>What was compared</h3>\n<p>A cell of {} people with {} records, {}. Records of a person that count (m_ub): "
      "{} "
      "by the median rule, {} by the optimised rule. With {}, best-fit grouping makes {} arrays and wrap-around "
      "{}.</p>\n",
      grouped(static_cast<std::int64_t>(comparison.counts.size())), grouped(comparison.records),
      comparison.from_caps ? "as many as the caps allow" : "by counts that are public", grouped(comparison.m_ub_median),
      grouped(comparison.m_ub_optimised), grouped(comparison.m_ub), grouped(comparison.arrays_best_fit),
      grouped(comparison.arrays_wrap_around));
  out += "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\">Mechanism</th>";
  for (const char* head : {"m_ub", "Arrays", "Sensitivity", "Noise scale", "Usual noise"})
    out += fmt::format("<th class=\"n\" scope=\"col\">{}</th>", head);
  out += "</tr></thead><tbody>\n";
  bool recommended = false;
  for (const plan::MeansCandidate& row : comparison.candidates) {
    const bool chosen = is_chosen(row, published.plan);
    // The first row of that name that has a plan is the recommended one.
    const bool best = !recommended && row.plan && row.mechanism == comparison.recommended;
    recommended = recommended || best;
    out += fmt::format("<tr{}><td>{}{}{}{}</td>", chosen ? " class=\"chosen\"" : "", escaped(row.mechanism),
                       row.variant.empty() ? "" : ", " + escaped(row.variant),
                       chosen ? " <span class=\"tag good\">chosen</span>" : "",
                       best ? " <span class=\"tag\">recommended</span>" : "");
    if (!row.plan) {
      out += fmt::format("<td colspan=\"5\" class=\"quiet\">{}</td></tr>\n", escaped(row.refusal.text()));
      continue;
    }
    for (const std::string& text : {whole(row.facts.m_ub), whole(row.facts.arrays), rounded_up(row.facts.sensitivity),
                                    rounded(row.facts.scale), rounded(row.facts.expected_noise)})
      out += fmt::format("<td class=\"n\">{}</td>", text);
    out += "</tr>\n";
  }
  return out +
         "</tbody></table></div>\n<p class=\"quiet\">From public facts only. Sensitivity: the most that one person "
         "moves the mean of such a cell.</p>\n";
}

std::string plan_section(const MeansPublished& published) {
  const mechanisms::CellsPlan& plan = published.plan;
  const auto mechanism = mechanisms::find_cell_mechanism(plan.mechanism);
  std::string out = how_made(published.reason, plan.mechanism, mechanism);
  for (const auto& [label, value] : plan.parameters) out += pair_of(escaped(label), value_text(value));
  out += pair_of("Noise", escaped(noise_words(plan)));
  if (plan.share > 0) out += pair_of("ε of one cell", rounded_up(plan.share));
  out += pair_of("Bounds of a value", fmt::format("{} to {}; values beyond are moved to the nearer one",
                                                  rounded(plan.shape.lower, 6), rounded(plan.shape.upper, 6)));
  if (plan.shape.sparse_below > 1)
    out +=
        pair_of("Sparse cells", fmt::format("not published below {} {}", grouped(plan.shape.sparse_below),
                                            !mechanism || (*mechanism)->public_counts ? "people, by public counts"
                                                                                      : "records, by the noisy count"));
  out += pair_of("Analysis",
                 plan.price.analysis == accounting::Analysis::certified ? "certified" : "published, not certified");
  out += pair_of("Event", "<code>" + escaped(accounting::to_text(plan.event)) + "</code>");
  out += "</dl>\n" + comparison_part(published);
  return folded("How it was made", out);
}

}  // namespace

std::string means_html(const MeansPublished& published, const std::string& csv) {
  const MeansRelease& release = published.release;
  Page page = page_of(title_of(published), release.mark);
  page.body =
      header(published) + means_lead(published, interval_note(release)) +
      section("The means", means_map(published) + means_strip(published) + means_multiples(published) +
                               means_table(release) + csv_note(csv)) +
      promise(facts_of(published), release.guarantee, release.mark) +
      promise_in_full(release.guarantee, release.mark, published.not_protected) + plan_section(published) +
      budget_section(published.budget, published.debit) +
      citation(page.title, release.axis, published.plan.mechanism, release.guarantee, release.mark, published.debit) +
      footer();
  return to_html(page);
}

}  // namespace chronoveil::report
