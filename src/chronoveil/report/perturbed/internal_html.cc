#include <fmt/format.h>

#include <algorithm>

#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/frame.h"
#include "chronoveil/report/page/markup.h"
#include "chronoveil/report/page/page.h"
#include "chronoveil/report/page/sections.h"
#include "chronoveil/report/perturbed/drawing.h"
#include "chronoveil/report/perturbed/words.h"
#include "chronoveil/report/series/charts.h"

namespace chronoveil::report {
namespace {

// Different values of a column that are listed.
constexpr std::size_t kMostCounts = 40;

std::string moves_section(const mechanisms::Moves& law, const mechanisms::Moves& realised) {
  Table table{.head = {"", "This release", "By the law"}, .rows = {}};
  const auto row = [&](const char* label, auto text_of_number, double real, double expected) {
    table.rows.push_back({label, text_of_number(real), text_of_number(expected)});
  };
  const auto plain = [](double value) { return rounded(value); };
  row("Mean distance in rows", plain, realised.mean_distance, law.mean_distance);
  row("Values that are missing", percent, realised.missing, law.missing);
  row("Rows that stayed empty", percent, realised.empty, law.empty);
  row("Cost of a value", plain, realised.cost, law.cost);
  return section("How far values moved",
                 moves_figure(law, &realised) + to_html(table) +
                     "<p class=\"quiet\">What this release really did undoes part of the protection: it says more "
                     "about the order of the values than was paid for.</p>\n");
}

std::string averages_section(const std::vector<PerturbedInternal::Column>& columns) {
  std::string figures;
  std::size_t shown = 0, all = 0;
  Table table{.head = {"Column", "Rows in a mean", "Root mean square error"}, .rows = {}};
  for (const PerturbedInternal::Column& column : columns) {
    if (!column.numeric) continue;
    ++all;
    table.rows.push_back({escaped(column.name), grouped(column.range), rounded(column.average_error)});
    if (shown < kMostCharts) figures += "<div>" + averages_figure(column, shown++) + "</div>\n";
  }
  if (all == 0) return "";
  std::string out;
  if (!figures.empty())
    out = "<p class=\"legend\">" + legend_entry("truth", "M0 6h22", "before") +
          legend_entry("line", "M0 6h22", "after") + "</p>\n<div class=\"charts" + (shown > 1 ? " many" : "") +
          "\">\n" + figures + "</div>\n";
  if (shown < all)
    out += fmt::format("<p class=\"quiet\">The first {} of {} columns.</p>\n", shown,
                       grouped(static_cast<std::int64_t>(all)));
  return section("Moving averages before and after", out + to_html(table));
}

std::string counts_section(const std::vector<PerturbedInternal::Column>& columns) {
  std::string out;
  for (const PerturbedInternal::Column& column : columns) {
    if (column.counts.empty()) continue;
    const std::size_t shown = std::min(column.counts.size(), kMostCounts);
    Table table{.head = {"Value", "Before", "After", "Change"}, .rows = {}};
    for (std::size_t i = 0; i < shown; ++i) {
      const PerturbedInternal::Column::Count& count = column.counts[i];
      const std::int64_t change = count.after - count.before;
      table.rows.push_back({count.value.empty() ? "(empty)" : escaped(count.value), grouped(count.before),
                            grouped(count.after), (change > 0 ? "+" : "") + grouped(change)});
    }
    out += "<h3>" + escaped(column.name) + "</h3>\n" + to_html(table);
    if (shown < column.counts.size())
      out += fmt::format("<p class=\"quiet\">The first {} of {} values.</p>\n", shown,
                         grouped(static_cast<std::int64_t>(column.counts.size())));
  }
  return out.empty() ? "" : section("Counts before and after", out);
}

}  // namespace

std::string perturbed_internal_html(const Perturbed& perturbed, const PerturbedInternal& internal) {
  Page page = internal_page(perturbed.title, grouped(perturbed.rows) + " rows", perturbed.plan.mechanism,
                            perturbed.guarantee, perturbed.mark);
  if (values_move(perturbed)) page.body += moves_section(perturbed.expected, internal.realised);
  page.body += averages_section(internal.columns) + counts_section(internal.columns);
  return to_html(page);
}

}  // namespace chronoveil::report
