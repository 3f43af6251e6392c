#include "chronoveil/report/series/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/chart.h"
#include "chronoveil/report/draw/frame.h"
#include "chronoveil/report/draw/heat_map.h"
#include "chronoveil/report/page/markup.h"
#include "chronoveil/report/page/page.h"

namespace chronoveil::report {
namespace {

std::string legend(const Release& release, bool with_truth) {
  const auto& sampled = release.estimate.sampled;
  std::string out = "<p class=\"legend\">" + legend_entry("line", "M0 6h22", "published value");
  if (with_truth) out += legend_entry("truth", "M0 6h22", "truth");
  out += legend_entry("band", "M0 0h22v12h-22z", fmt::format("{} % interval", rounded(release.level * 100)));
  if (std::find(sampled.begin(), sampled.end(), 0) != sampled.end())
    out += legend_entry("dots", "M11 6h0", "measured step; estimated in between");
  return out + "</p>\n";
}

struct Summary {
  double mean = 0, greatest = 0, half_width = 0;
  std::size_t when = 0;
};

Summary summary_of(const Release& release, std::size_t series) {
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  const std::span values = std::span(release.estimate.value).subspan(series * steps, steps);
  if (values.empty()) return {};
  Summary summary;
  summary.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(steps);
  summary.when = static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
  summary.greatest = values[summary.when];
  std::vector<double> widths(steps);
  for (std::size_t i = 0; i < steps; ++i)
    widths[i] = (release.estimate.upper[series * steps + i] - release.estimate.lower[series * steps + i]) / 2;
  const auto middle = widths.begin() + static_cast<std::ptrdiff_t>(steps / 2);
  std::nth_element(widths.begin(), middle, widths.end());
  summary.half_width = *middle;
  return summary;
}

std::string when_words(const SlotAxis& axis, std::size_t step) {
  const auto time = parse_label(axis.labels[step]);
  return time ? time_words(*time) : axis.labels[step];
}

}  // namespace

std::string series_charts(const Release& release, std::span<const double> truth) {
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  const std::size_t series = static_cast<std::size_t>(release.series());
  const std::size_t shown = std::min(series, kMostCharts);
  if (steps == 0) return "";
  std::string out = legend(release, !truth.empty());
  out += shown > 1 ? "<div class=\"charts many\">\n" : "<div class=\"charts\">\n";
  for (std::size_t i = 0; i < shown; ++i) {
    const auto part = [&](const auto& all) { return std::span(all).subspan(i * steps, steps); };
    const Summary summary = summary_of(release, i);
    Chart chart;
    chart.id = "s" + std::to_string(i);
    chart.title = release.keys.empty() ? "Count per " + slot_words(release.axis).one : release.keys[i];
    chart.note =
        fmt::format("mean {}, highest {} on {}, usual interval ±\u202f{}", rounded(summary.mean),
                    rounded(summary.greatest), when_words(release.axis, summary.when), rounded(summary.half_width));
    chart.axis = &release.axis;
    chart.value = part(release.estimate.value);
    chart.lower = part(release.estimate.lower);
    chart.upper = part(release.estimate.upper);
    chart.sampled = part(release.estimate.sampled);
    if (!truth.empty()) chart.truth = part(truth);
    chart.large = shown == 1;
    out += to_html(chart);
  }
  out += "</div>\n";
  if (shown < series)
    out += fmt::format("<p class=\"quiet\">The first {} of {} series, in the order of the public list.</p>\n", shown,
                       grouped(release.series()));
  if (series > 1) out += heat_map(release, "map");
  return out;
}

std::string summary_table(const Release& release) {
  if (release.axis.steps() == 0 || release.series() == 1) return "";
  const std::size_t series = static_cast<std::size_t>(release.series());
  const std::size_t shown = std::min(series, kMostTableRows);
  Table table{.head = {"Series", "When highest", "Highest", "Mean", "Usual interval"}, .rows = {}, .text_columns = 2};
  for (std::size_t i = 0; i < shown; ++i) {
    const Summary summary = summary_of(release, i);
    table.rows.push_back({escaped(release.keys[i]), escaped(when_words(release.axis, summary.when)),
                          rounded(summary.greatest), rounded(summary.mean), "±\u202f" + rounded(summary.half_width)});
  }
  std::string out = to_html(table);
  if (shown < series)
    out += fmt::format("<p class=\"quiet\">{} more are in the CSV.</p>\n",
                       grouped(static_cast<std::int64_t>(series - shown)));
  if (shown > kMostCharts)
    return fmt::format("<details><summary>Table of {} series</summary>\n{}</details>\n",
                       grouped(static_cast<std::int64_t>(shown)), out);
  return out;
}

}  // namespace chronoveil::report
