#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/frame.h"
#include "chronoveil/report/draw/paths.h"
#include "chronoveil/report/means/published.h"
#include "chronoveil/report/means/table.h"
#include "chronoveil/report/means/words.h"
#include "chronoveil/report/page/markup.h"
#include "chronoveil/report/page/page.h"
#include "chronoveil/report/page/sections.h"

namespace chronoveil::report {
namespace {

constexpr std::size_t kMostPoints = 5000, kMostPairs = 100;

// The cells that can be compared.
std::vector<std::size_t> pairs_of(const MeansEvaluation& evaluation) {
  const std::vector<CellEstimate>& cells = evaluation.published.release.cells;
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i < cells.size(); ++i)
    if (cells[i].state == CellEstimate::State::published && !std::isnan(evaluation.truth[i])) all.push_back(i);
  return all;
}

std::string errors_section(const MeansEvaluation& evaluation) {
  const MeansErrors errors = errors_of(evaluation);
  if (errors.cells == 0) return section("Errors", "<p>No published cell has records to compare it with.</p>\n");
  const Table table{.head = {"Error", "Value"},
                    .rows = {{"Cells compared", grouped(errors.cells)},
                             {"Mean absolute error", rounded(errors.mean_absolute)},
                             {"Root mean square error", rounded(errors.root_mean_square)},
                             {fmt::format("Truth inside the {} interval", percent(evaluation.published.release.level)),
                              percent(errors.coverage)}}};
  return section("Errors", to_html(table));
}

std::string left_out_section(const MeansEvaluation& evaluation) {
  Table table{.head = {"What bounding did", "Number", "Of all rows"},
              .rows = {{"Rows read", grouped(evaluation.rows), ""}}};
  const auto row = [&](const char* label, std::int64_t number) {
    table.rows.push_back(
        {label, grouped(number),
         evaluation.rows > 0 ? percent(static_cast<double>(number) / static_cast<double>(evaluation.rows)) : ""});
  };
  row("Rows outside the span", evaluation.outside_span);
  row("Rows of places that are not listed", evaluation.unlisted_places);
  row("Records in cells beyond a person’s cap", evaluation.over_cells);
  row("Records beyond the cap in one cell", evaluation.over_records);
  row("Values moved into the bounds", evaluation.clamped);
  return section("What the caps cost", to_html(table));
}

// One dot per cell: the truth to the right, the release upwards. On the line both are the same.
std::string scatter(const MeansEvaluation& evaluation, const std::vector<std::size_t>& pairs) {
  const std::vector<CellEstimate>& cells = evaluation.published.release.cells;
  double low = evaluation.truth[pairs.front()], high = low;
  for (const std::size_t i : pairs) {
    low = std::min({low, evaluation.truth[i], cells[i].mean});
    high = std::max({high, evaluation.truth[i], cells[i].mean});
  }
  const Scale scale = nice_scale(low, high, 5);
  const std::size_t every = (pairs.size() + kMostPoints - 1) / kMostPoints;
  std::vector<Point> points;
  for (std::size_t i = 0; i < pairs.size(); i += every)
    points.push_back({scale.position(evaluation.truth[pairs[i]]), scale.position(cells[pairs[i]].mean)});
  const std::vector<Point> same = {{0, 0}, {1, 1}};
  const std::string measure = measure_words(evaluation.published);
  return to_html(Frame{.id = "scatter",
                       .title = "Truth and release",
                       .note = (every == 1 ? "a dot for each cell" : fmt::format("a dot for every {}th cell", every)) +
                               "; on the line both are the same",
                       .description = fmt::format("Dots between {} and {}, truth to the right, release upwards.",
                                                  rounded(low), rounded(high)),
                       .across = ticks_of(scale),
                       .up = ticks_of(scale),
                       .drawing = path_of("truth", line_through(same)) + path_of("points", dots_at(points)),
                       .large = true,
                       .across_title = "True mean: " + measure,
                       .up_title = "Released mean: " + measure});
}

// The largest errors first.
std::string pairs_table(const MeansEvaluation& evaluation, std::vector<std::size_t> pairs) {
  const MeansRelease& release = evaluation.published.release;
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  const auto off = [&](std::size_t i) { return std::fabs(release.cells[i].mean - evaluation.truth[i]); };
  std::stable_sort(pairs.begin(), pairs.end(), [&](std::size_t a, std::size_t b) { return off(a) > off(b); });
  pairs.resize(std::min(pairs.size(), kMostPairs));
  Table table{
      .head = {"Place", "Slot", "People", "Truth", "Release", "From", "To", "Error"}, .rows = {}, .text_columns = 2};
  for (const std::size_t i : pairs)
    table.rows.push_back({escaped(place_text(release, i / steps)), escaped(slot_text(release.axis, i % steps)),
                          grouped(evaluation.users[i]), rounded(evaluation.truth[i], 4),
                          rounded(release.cells[i].mean, 4), rounded(release.cells[i].lower, 4),
                          rounded(release.cells[i].upper, 4), rounded(off(i))});
  return to_html(table);
}

}  // namespace

std::string evaluation_html(const MeansEvaluation& evaluation) {
  const MeansPublished& published = evaluation.published;
  const MeansRelease& release = published.release;
  const std::string what = escaped(cell_number_words(cell_numbers(release))) + ". " +
                           escaped(span_words(release.axis)) + ", " + escaped(release.axis.zone);
  Page page = internal_page(published.title, what, published.plan.mechanism, release.guarantee, release.mark);
  page.body += errors_section(evaluation);
  const std::vector<std::size_t> pairs = pairs_of(evaluation);
  if (!pairs.empty())
    page.body += section("Truth against release", scatter(evaluation, pairs)) +
                 section("Cells by error", pairs_table(evaluation, pairs));
  page.body += left_out_section(evaluation);
  return to_html(page);
}

}  // namespace chronoveil::report
