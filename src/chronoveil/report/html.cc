#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chronoveil/accounting/event_json.h"
#include "chronoveil/base/version.h"
#include "chronoveil/mechanisms/calibrated.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/report/local_time.h"
#include "chronoveil/report/markup.h"
#include "chronoveil/report/numbers.h"
#include "chronoveil/report/page.h"
#include "chronoveil/report/series_charts.h"
#include "chronoveil/report/words.h"
#include "chronoveil/report/writers.h"

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

std::string promise(const Published& published) {
  const Facts facts = facts_of(published);
  const Guarantee& guarantee = published.release.guarantee;
  std::string out = "<section class=\"promise\" aria-label=\"What is promised\">\n<dl class=\"facts\">\n";
  const auto fact = [&](const char* id, const char* label, const std::string& text) {
    out += fmt::format("<div id=\"{}\"><dt>{}</dt> <dd>{}</dd></div>\n", id, label, escaped(text));
  };
  fact("fact-unit", "Who is protected", facts.unit);
  fact("fact-relation", "The promise", facts.relation);
  fact("fact-cap", "Cap for a person", facts.cap);
  fact("fact-public", "Public facts", facts.public_facts);
  fact("fact-limits", "Not protected", facts.not_protected);
  out += "</dl>\n<div class=\"strength\" id=\"strength\">";
  if (!published.release.mark.empty()) {
    out += "<p class=\"numbers\">No promise</p><p>" + escaped(published.release.mark) + ".</p>";
  } else {
    const CertificateWords certificate = words_of(guarantee.certificate);
    out += fmt::format(
        "<p class=\"numbers\"><span>ε = {}</span><span>δ = {}</span></p><p>{}</p><p class=\"cert\"><b{}>{}.</b> {}</p>",
        rounded_up(guarantee.epsilon), rounded_up(guarantee.delta), escaped(strength_of(guarantee)),
        guarantee.certificate == Certificate::as_published ? " class=\"tag warn\"" : "", escaped(certificate.name),
        escaped(certificate.meaning));
  }
  out += "</div>\n</section>\n";
  return out;
}

// A capital in front and a full stop behind, escaped.
std::string sentence_of(std::string text) {
  if (text.empty()) return text;
  if (text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  if (text.back() != '.') text += '.';
  return escaped(text);
}

std::string basis_tag(Basis basis) {
  return fmt::format("<span class=\"tag {}\">{}</span>", basis == Basis::enforced ? "good" : "warn", name(basis));
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
         "Who "
         "is above it is protected less:</p>\n" +
         to_html(table);
}

std::string promise_in_full(const Published& published) {
  const Guarantee& guarantee = published.release.guarantee;
  if (!published.release.mark.empty())
    return section("The promise in full", "<p>There is none: " + escaped(published.release.mark) + ".</p>\n");
  std::string out = fmt::format(
      "<p>The promise is differential privacy{} for the unit <code>{}</code> under the relation <code>{}</code>, with "
      "ε = {} at δ = {}. It holds against everyone, whatever they know already and whatever is later done with these "
      "figures.</p>\n",
      guarantee.definition == "DP" ? "" : " (" + escaped(guarantee.definition) + ")", unit_text(guarantee),
      name(guarantee.relation), rounded_up(guarantee.epsilon), rounded_up(guarantee.delta));
  if (!guarantee.assumptions.empty()) {
    out += "<h3>What it rests on</h3>\n<ul>\n";
    for (const Assumption& assumption : guarantee.assumptions)
      out += fmt::format("<li>{} {}</li>\n", sentence_of(assumption.text), basis_tag(assumption.basis));
    out += "</ul>\n<p class=\"quiet\">Enforced: the program made sure. Declared: the publisher vouches for it.</p>\n";
  }
  out += growth(published);
  if (!published.not_protected.empty()) {
    out += "<h3>What is not protected</h3>\n<ul>\n";
    for (const std::string& sentence : published.not_protected) out += "<li>" + sentence_of(sentence) + "</li>\n";
    out += "</ul>\n";
  }
  return section("The promise in full", out);
}

std::string value_text(const mechanisms::Value& value) {
  if (const bool* yes = std::get_if<bool>(&value)) return *yes ? "yes" : "no";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return grouped(*whole);
  if (const double* real = std::get_if<double>(&value)) return shortest(*real);
  return escaped(std::get<std::string>(value));
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
      out += fmt::format("<td colspan=\"{}\" class=\"quiet\">{}</td></tr>\n", simulated ? 4 : 3, escaped(row.refusal));
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
  std::string out;
  if (!published.reason.empty()) out += "<p>" + escaped(published.reason) + "</p>\n";
  out += "<dl class=\"pairs\">\n";
  const auto pair = [&](std::string_view label, const std::string& html) {
    out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", label, html);
  };
  const auto mechanism = mechanisms::find_series_mechanism(plan.mechanism);
  pair("Mechanism",
       "<b>" + escaped(plan.mechanism) + "</b>" + (mechanism ? ": " + escaped((*mechanism)->summary) : std::string()));
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
  return section("How it was made", out);
}

std::string budget_section(const Published& published) {
  std::string out;
  if (published.budget) {
    const BudgetLeft& budget = *published.budget;
    // Rounded down: what is left is never more than said.
    const double percent = std::floor(std::clamp(budget.fraction_left, 0.0, 1.0) * 1000) / 10;
    out += fmt::format(
        "<p><b>{0} % of the budget is left</b> for the dataset {1}, of ε = {2} and δ = {3} in all.</p>\n"
        "<div class=\"bar\" role=\"img\" aria-label=\"{0} % of the budget is left\"><div "
        "style=\"width:{0}%\"></div></div>\n",
        rounded(percent), escaped(budget.dataset), rounded(budget.epsilon), rounded(budget.delta));
    if (!budget.still_admits.empty())
      out += "<p class=\"quiet\">It still admits " + escaped(budget.still_admits) + ".</p>\n";
  }
  if (published.debit) {
    out += fmt::format(
        "<p>The cost was written to the ledger before any data was read. The JSON file of this release carries the "
        "same "
        "reference; whoever holds the ledger can check it:</p>\n<pre>chronoveil budget verify --against "
        "RELEASE.json</pre>\n<dl class=\"pairs\"><dt>Debit</dt><dd><code>{}</code></dd>\n<dt>Chain "
        "head</dt><dd><code>{}"
        "</code></dd></dl>\n",
        escaped(published.debit->id.text()), escaped(published.debit->chain_head));
  } else {
    out += "<p>No budget was spent and none is recorded.</p>\n";
  }
  return section("Budget and proof", out);
}

std::string citation(const Published& published) {
  const Guarantee& guarantee = published.release.guarantee;
  std::string text =
      fmt::format("{}, {}. Made with Chronoveil {} (analysis {}), mechanism {}", title_of(published),
                  span_words(published.release.axis), kVersion, accounting::kAnalysisVersion, published.plan.mechanism);
  if (published.release.mark.empty())
    text += fmt::format(", differential privacy with ε = {}, δ = {}, unit {}, {}.", rounded_up(guarantee.epsilon),
                        rounded_up(guarantee.delta), unit_text(guarantee), name(guarantee.certificate));
  else
    text += "; " + published.release.mark + ".";
  if (published.debit) text += " Debit " + published.debit->id.text() + ".";
  return section("How to cite", "<p>" + escaped(text) + "</p>\n");
}

// What a figure counts, what an interval covers, and what it cannot.
std::string interval_note(const Published& published) {
  const auto mechanism = mechanisms::find_series_mechanism(published.plan.mechanism);
  return fmt::format("<p class=\"quiet\">{}{}The intervals cover the noise that was added{}.</p>\n",
                     mechanism && (*mechanism)->totals
                         ? "Each figure is a running total: the sum of its series from the start up to there. "
                         : "",
                     published.caps == Basis::enforced ? "The figures count what is within the cap. " : "",
                     published.caps == Basis::enforced ? ", not what the cap left out" : "");
}

}  // namespace

std::string to_html(const Published& published) {
  const Release& release = published.release;
  Page page{.title = title_of(published), .banner = "", .watermark = "", .body = ""};
  if (!release.mark.empty()) page.banner = escaped(release.mark) + ". For tests only; do not publish.";
  page.body = header(published) + promise(published) +
              section("The figures", series_charts(release) + interval_note(published) + summary_table(release)) +
              promise_in_full(published) + plan_section(published) + budget_section(published) + citation(published) +
              fmt::format(
                  "<footer>Made by Chronoveil {}. This page holds everything it shows: no script, nothing "
                  "loaded from elsewhere.</footer>\n",
                  kVersion);
  return to_html(page);
}

}  // namespace chronoveil::report
