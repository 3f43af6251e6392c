#include "chronoveil/report/page/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chronoveil/base/version.h"
#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"

namespace chronoveil::report {
namespace {

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

std::string kind_of_promise(const Guarantee& guarantee) {
  const std::string neighbours = fmt::format(
      "for the unit <code>{}</code> under the relation <code>{}</code>{}", unit_text(guarantee),
      name(guarantee.relation),
      guarantee.relation == Relation::swap ? fmt::format(" with a window of {} rows", grouped(guarantee.window)) : "");
  if (is_nominal(guarantee))
    return fmt::format(
        "<p><b>This is not differential privacy.</b> A paper states ε = {} and δ = {} for these parameters, {}. Its "
        "numbers bound every single output by itself. Whoever looks at sets of outputs can tell more.</p>\n",
        rounded_up(guarantee.epsilon), rounded_up(guarantee.delta), neighbours);
  return fmt::format(
      "<p>The promise is differential privacy{} {}, with ε = {} at δ = {}. It holds against everyone, whatever they "
      "know already and whatever is later done with these figures.</p>\n",
      guarantee.definition == "DP" ? "" : " (" + escaped(guarantee.definition) + ")", neighbours,
      rounded_up(guarantee.epsilon), rounded_up(guarantee.delta));
}

}  // namespace

std::string promise(const Facts& facts, const Guarantee& guarantee, const std::string& mark, double beta) {
  std::string out = "<section class=\"promise\" aria-label=\"What is promised\">\n<dl class=\"facts\">\n";
  const auto fact = [&](const char* id, std::string_view label, const std::string& text, bool stands_out = false) {
    out += fmt::format("<div id=\"{}\"{}><dt>{}</dt> <dd>{}</dd></div>\n", id, stands_out ? " class=\"notice\"" : "",
                       label, escaped(text));
  };
  fact("fact-unit", facts.unit_label, facts.unit);
  fact("fact-relation", "The promise", facts.relation);
  fact("fact-cap", facts.cap_label, facts.cap);
  fact("fact-public", "Public facts", facts.public_facts);
  fact("fact-limits", "Not protected", facts.not_protected, facts.limits_stand_out);
  out += "</dl>\n<div class=\"strength\" id=\"strength\">";
  if (!mark.empty()) {
    out += "<p class=\"numbers\">No promise</p><p>" + escaped(mark) + ".</p>";
  } else {
    const CertificateWords certificate = words_of(guarantee.certificate, beta);
    out += fmt::format(
        "<p class=\"numbers\"><span>ε = {}</span><span>δ = {}</span></p><p>{}</p><p class=\"cert\"><b{}>{}.</b> {}</p>",
        rounded_up(guarantee.epsilon), rounded_up(guarantee.delta), escaped(strength_of(guarantee)),
        guarantee.certificate == Certificate::as_published ? " class=\"tag warn\"" : "", escaped(certificate.name),
        escaped(certificate.meaning));
  }
  out += "</div>\n</section>\n";
  return out;
}

std::string newest_table(std::string_view what, const Table& table, std::size_t all) {
  constexpr std::size_t kMostOpen = 4;
  const std::size_t shown = table.rows.size();
  if (shown <= kMostOpen) return to_html(table);
  return fmt::format("<details><summary>The {} of {} series</summary>\n{}</details>\n", what,
                     shown < all ? fmt::format("the first {} of {}", shown, grouped(static_cast<std::int64_t>(all)))
                                 : fmt::format("all {}", shown),
                     to_html(table));
}

std::string promise_in_full(const Guarantee& guarantee, const std::string& mark,
                            const std::vector<std::string>& not_protected, std::string_view growth) {
  if (!mark.empty()) return section("The promise in full", "<p>There is none: " + escaped(mark) + ".</p>\n");
  std::string out = kind_of_promise(guarantee);
  if (!guarantee.assumptions.empty()) {
    out += "<h3>What it rests on</h3>\n<ul>\n";
    for (const Assumption& assumption : guarantee.assumptions)
      out += fmt::format("<li>{} {}</li>\n", sentence_of(assumption.text), basis_tag(assumption.basis));
    out += "</ul>\n<p class=\"quiet\">Enforced: the program made sure. Declared: the publisher vouches for it.</p>\n";
  }
  out += growth;
  if (!not_protected.empty()) {
    out += "<h3>What is not protected</h3>\n<ul>\n";
    for (const std::string& sentence : not_protected) out += "<li>" + sentence_of(sentence) + "</li>\n";
    out += "</ul>\n";
  }
  // That something is no differential privacy must not be folded away.
  return folded("The promise in full", out, is_nominal(guarantee) ? Fold::open : Fold::closed);
}

std::string value_text(const mechanisms::Value& value) {
  if (const bool* yes = std::get_if<bool>(&value)) return *yes ? "yes" : "no";
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return grouped(*whole);
  if (const double* real = std::get_if<double>(&value)) return shortest(*real);
  return escaped(std::get<std::string>(value));
}

std::string pair_of(std::string_view label, std::string_view html) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", label, html);
}

std::string budget_section(const std::optional<BudgetLeft>& left, const std::optional<ledger::DebitReference>& debit) {
  std::string out;
  if (left) {
    const BudgetLeft& budget = *left;
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
  if (debit) {
    out += fmt::format(
        "<p>The cost was written to the ledger before any data was read. The JSON file of this release carries the "
        "same "
        "reference; whoever holds the ledger can check it:</p>\n<pre>chronoveil budget verify --against "
        "RELEASE.json</pre>\n<dl class=\"pairs\"><dt>Debit</dt><dd><code>{}</code></dd>\n<dt>Chain "
        "head</dt><dd><code>{}"
        "</code></dd></dl>\n",
        escaped(debit->id.text()), escaped(debit->chain_head));
  } else {
    out += "<p>No budget was spent and none is recorded.</p>\n";
  }
  return folded("Budget and proof", out);
}

std::string citation(const std::string& title, const SlotAxis& axis, const std::string& mechanism,
                     const Guarantee& guarantee, const std::string& mark,
                     const std::optional<ledger::DebitReference>& debit) {
  return citation(fmt::format("{}, {}", title, span_words(axis)), mechanism, guarantee, mark, debit);
}

std::string citation(const std::string& what, const std::string& mechanism, const Guarantee& guarantee,
                     const std::string& mark, const std::optional<ledger::DebitReference>& debit) {
  std::string text = fmt::format("{}. Made with Chronoveil {} (analysis {}), mechanism {}", what, kVersion,
                                 accounting::kAnalysisVersion, mechanism);
  if (mark.empty())
    text += fmt::format(
        ", {} with ε = {}, δ = {}, unit {}{}, {}.",
        is_nominal(guarantee) ? "not differential privacy: single outputs are bounded" : "differential privacy",
        rounded_up(guarantee.epsilon), rounded_up(guarantee.delta), unit_text(guarantee),
        guarantee.relation == Relation::swap ? fmt::format(", values swapped within {} rows", grouped(guarantee.window))
                                             : "",
        name(guarantee.certificate));
  else
    text += "; " + mark + ".";
  if (debit) text += " Debit " + debit->id.text() + ".";
  return folded("How to cite", "<p>" + escaped(text) + "</p>\n");
}

std::string footer() {
  return fmt::format(
      "<footer>Made by Chronoveil {}. This page holds everything it shows: no script, nothing "
      "loaded from elsewhere.</footer>\n",
      kVersion);
}

Page page_of(std::string title, const std::string& mark) {
  return {.title = std::move(title),
          .banner = mark.empty() ? "" : escaped(mark) + ". For tests only; do not publish.",
          .watermark = "",
          .body = ""};
}

Page internal_page(const std::string& title, const std::string& what, const std::string& mechanism,
                   const Guarantee& guarantee, const std::string& mark) {
  Page page{.title = title.empty() ? "Evaluation" : "Evaluation: " + title,
            .banner = "internal: reveals the data. Not for publication.",
            .watermark = "internal: reveals the data",
            .body = ""};
  page.body = fmt::format("<h1>{}</h1>\n<p class=\"sub\">{}, {}, ε = {}, δ = {}</p>\n", escaped(page.title), what,
                          escaped(mechanism), rounded_up(guarantee.epsilon), rounded_up(guarantee.delta));
  if (!mark.empty()) page.body += "<p><span class=\"tag warn\">" + escaped(mark) + "</span></p>\n";
  return page;
}

}  // namespace chronoveil::report
