#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/page/markup.h"
#include "chronoveil/report/page/page.h"
#include "chronoveil/report/page/sections.h"
#include "chronoveil/report/page/words.h"
#include "chronoveil/report/series/charts.h"
#include "chronoveil/report/series/error_sums.h"

namespace chronoveil::report {
namespace {

std::string errors_section(const Evaluation& evaluation) {
  const Errors errors = errors_of(evaluation);
  const double level = evaluation.published.release.level;
  Table table{
      .head = {"Error", "Value"},
      .rows = {{"Mean absolute error", rounded(errors.mean_absolute)},
               {"Root mean square error", rounded(errors.root_mean_square)},
               {"Mean relative error (counts below 1 taken as 1)", percent(errors.mean_relative)},
               {fmt::format("Truth inside the {} interval", percent(level)), percent(errors.coverage)},
               {"Mean absolute error against what was left after the caps", rounded(errors.mean_absolute_bounded)}}};
  return section("Errors", to_html(table));
}

std::string left_out_section(const Evaluation& evaluation) {
  Table table{.head = {"What bounding left out", "Number", "Of all rows"}, .rows = {}};
  const auto row = [&](const char* label, std::int64_t number, bool of_rows) {
    table.rows.push_back({label, grouped(number),
                          of_rows && evaluation.rows > 0
                              ? percent(static_cast<double>(number) / static_cast<double>(evaluation.rows))
                              : ""});
  };
  row("Rows read", evaluation.rows, false);
  row("Rows outside the span", evaluation.outside_span, true);
  row("Rows of series that are not listed", evaluation.unlisted_series, true);
  row("Records or amounts above the caps", evaluation.over_caps, true);
  row("Counts above the maximum", evaluation.clamped, false);
  return section("What the caps cost", to_html(table));
}

// One row per series, the largest error first.
std::string series_section(const Evaluation& evaluation) {
  const Release& release = evaluation.published.release;
  if (release.series() < 2) return "";
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  std::vector<Errors> errors;
  for (std::size_t i = 0; i < release.keys.size(); ++i)
    errors.push_back(errors_between(evaluation, i * steps, (i + 1) * steps));
  std::vector<std::size_t> order(errors.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return errors[a].mean_absolute > errors[b].mean_absolute; });
  order.resize(std::min(order.size(), kMostTableRows));
  Table table{.head = {"Series", "Mean absolute error", "Root mean square", "Relative", "Inside interval"}, .rows = {}};
  for (const std::size_t i : order)
    table.rows.push_back({escaped(release.keys[i]), rounded(errors[i].mean_absolute),
                          rounded(errors[i].root_mean_square), percent(errors[i].mean_relative),
                          percent(errors[i].coverage)});
  return section("Series by error", to_html(table));
}

}  // namespace

std::string evaluation_html(const Evaluation& evaluation) {
  const Published& published = evaluation.published;
  const Release& release = published.release;
  Page page = internal_page(published.title, escaped(span_words(release.axis)) + ", " + escaped(release.axis.zone),
                            published.plan.mechanism, release.guarantee, release.mark);
  page.body += errors_section(evaluation) +
               section("Truth against release", series_charts(published, "", evaluation.truth)) +
               left_out_section(evaluation) + series_section(evaluation);
  return to_html(page);
}

}  // namespace chronoveil::report
