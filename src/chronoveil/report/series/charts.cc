#include "chronoveil/report/series/charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/report/document/intervals.h"
#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/frame.h"
#include "chronoveil/report/draw/heat_map.h"
#include "chronoveil/report/page/csv_link.h"
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
  double mean = 0, half_width = 0;
  std::optional<std::size_t> highest;  // a step, where one value is clearly the highest
};

Summary summary_of(const Release& release, std::size_t series) {
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  const auto part = [&](const std::vector<double>& all) { return std::span(all).subspan(series * steps, steps); };
  const std::span values = part(release.estimate.value);
  const std::span lower = part(release.estimate.lower), upper = part(release.estimate.upper);
  return {.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(steps),
          .half_width = usual_width(lower, upper) / 2,
          .highest = clear_maximum(lower, upper)};
}

std::string when_words(const SlotAxis& axis, std::size_t step) {
  const auto time = parse_label(axis.labels[step]);
  return time ? time_words(*time) : axis.labels[step];
}

// The numbers behind a chart, the newest first.
std::string numbers_table(const Chart& chart, const std::string& csv) {
  const std::size_t steps = chart.value.size(), shown = std::min(steps, kMostNumbers);
  Table table{.head = {"Time", "Value", "From", "To"}, .rows = {}};
  for (std::size_t i = 0; i < shown; ++i) {
    const std::size_t step = steps - 1 - i;
    table.rows.push_back({escaped(slot_phrase(*chart.axis, step)), rounded(chart.value[step], kTableDigits),
                          rounded(chart.lower[step], kTableDigits), rounded(chart.upper[step], kTableDigits)});
  }
  return numbers_behind("newest", shown, steps, to_html(table) + csv);
}

}  // namespace

std::string measure_of(const Published& published) {
  const auto mechanism = mechanisms::find_series_mechanism(published.plan.mechanism);
  return mechanism && (*mechanism)->totals ? "Count up to here" : "Count per " + slot_words(published.release.axis).one;
}

std::vector<Chart> charts_of(const Release& release, const std::string& measure, std::span<const double> truth) {
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  const std::size_t shown = steps == 0 ? 0 : std::min(static_cast<std::size_t>(release.series()), kMostCharts);
  std::vector<Chart> charts;
  for (std::size_t i = 0; i < shown; ++i) {
    const auto part = [&](const auto& all) { return std::span(all).subspan(i * steps, steps); };
    const Summary summary = summary_of(release, i);
    Chart& chart = charts.emplace_back();
    chart.id = "s" + std::to_string(i);
    chart.title = release.keys.empty() ? measure : release.keys[i];
    chart.note = fmt::format("mean {}, ", rounded(summary.mean));
    if (summary.highest)
      chart.note += fmt::format("highest {} on {}, ", rounded(part(release.estimate.value)[*summary.highest]),
                                when_words(release.axis, *summary.highest));
    chart.note += fmt::format("usual interval ±\u202f{}", rounded(summary.half_width));
    chart.axis = &release.axis;
    chart.value = part(release.estimate.value);
    chart.lower = part(release.estimate.lower);
    chart.upper = part(release.estimate.upper);
    chart.sampled = part(release.estimate.sampled);
    if (!truth.empty()) chart.truth = part(truth);
    chart.large = shown == 1;
    chart.measure = measure;
  }
  return charts;
}

std::string series_charts(const Published& published, const std::string& csv, std::span<const double> truth) {
  const Release& release = published.release;
  const std::vector<Chart> charts = charts_of(release, measure_of(published), truth);
  if (charts.empty()) return "";
  std::string out = legend(release, !truth.empty());
  out += charts.size() > 1 ? "<div class=\"charts many\">\n" : "<div class=\"charts\">\n";
  for (const Chart& chart : charts) out += "<div>" + to_html(chart) + numbers_table(chart, csv_note(csv)) + "</div>\n";
  out += "</div>\n";
  if (charts.size() < static_cast<std::size_t>(release.series()))
    out += fmt::format("<p class=\"quiet\">The first {} of {} series, in the order of the public list.</p>\n",
                       charts.size(), grouped(release.series()));
  if (release.series() > 1) out += heat_map(release, "map");
  return out;
}

std::string summary_table(const Release& release) {
  if (release.axis.steps() == 0 || release.series() == 1) return "";
  const std::size_t series = static_cast<std::size_t>(release.series());
  const std::size_t shown = std::min(series, kMostTableRows);
  bool unclear = false;
  Table table{.head = {"Series", "When highest", "Highest", "Mean", "Usual interval"}, .rows = {}, .text_columns = 2};
  for (std::size_t i = 0; i < shown; ++i) {
    const Summary summary = summary_of(release, i);
    const std::size_t at = i * static_cast<std::size_t>(release.axis.steps()) + summary.highest.value_or(0);
    table.rows.push_back({escaped(release.keys[i]),
                          summary.highest ? escaped(when_words(release.axis, *summary.highest)) : "–",
                          summary.highest ? rounded(release.estimate.value[at]) : "–", rounded(summary.mean),
                          "±\u202f" + rounded(summary.half_width)});
    unclear = unclear || !summary.highest;
  }
  std::string out = to_html(table);
  if (unclear) out += "<p class=\"quiet\">–: no value is clearly the highest, since intervals overlap.</p>\n";
  if (shown < series)
    out += fmt::format("<p class=\"quiet\">{} more are in the CSV.</p>\n",
                       grouped(static_cast<std::int64_t>(series - shown)));
  if (shown > kMostCharts)
    return fmt::format("<details><summary>Table of {} series</summary>\n{}</details>\n",
                       grouped(static_cast<std::int64_t>(shown)), out);
  return out;
}

}  // namespace chronoveil::report
