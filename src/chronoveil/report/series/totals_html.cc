#include "chronoveil/report/series/totals_html.h"

#include <fmt/format.h>

#include <algorithm>

#include "chronoveil/report/document/intervals.h"
#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/chart.h"
#include "chronoveil/report/page/markup.h"
#include "chronoveil/report/page/page.h"

namespace chronoveil::report {
namespace {

const Sums* all_by_slot(const Release& release) {
  const Totals& totals = release.totals;
  const auto found = std::find_if(totals.sums.begin(), totals.sums.end(), [&](const Sums& sums) {
    return sums.of == "all" && totals.periods[sums.periods].per == "slot";
  });
  return found == totals.sums.end() ? nullptr : &*found;
}

std::string period_words(const Release& release, const Periods& periods, std::size_t i) {
  if (periods.per == "span") return span_words(release.axis);
  const std::string& label = release.axis.labels[static_cast<std::size_t>(periods.first[i])];
  const auto time = parse_label(label);
  if (!time) return label;
  if (periods.per == "month") return month_words(*time);
  return periods.per == "week" ? "week of " + date_words(*time) : date_words(*time);
}

std::vector<std::string> row_of(std::string what, const Sums& sums, std::size_t i) {
  return {escaped(what), rounded(sums.value[i], kTableDigits), rounded(sums.lower[i], kTableDigits),
          rounded(sums.upper[i], kTableDigits)};
}

// The sums of all series over each kind of period, the newest first.
std::string over_time(const Release& release) {
  std::string out;
  for (const Sums& sums : release.totals.sums) {
    const Periods& periods = release.totals.periods[sums.periods];
    if (sums.of != "all" || periods.per == "slot") continue;
    Table table{.head = {periods.per == "span" ? "In all" : "By " + periods.per, "Total", "From", "To"}, .rows = {}};
    const std::size_t count = sums.value.size(), shown = std::min(count, kMostNumbers);
    for (std::size_t i = 0; i < shown; ++i)
      table.rows.push_back(row_of(period_words(release, periods, count - 1 - i), sums, count - 1 - i));
    constexpr std::size_t kMostOpen = 7;
    out += count <= kMostOpen ? to_html(table) : numbers_behind("newest", shown, count, to_html(table));
  }
  return out;
}

// What each group, or each series, adds up to over the whole span.
std::string by_name(const Release& release, std::string_view of, const char* head) {
  Table table{.head = {head, "Total", "From", "To"}, .rows = {}};
  for (const Sums& sums : release.totals.sums)
    if (sums.of == of && release.totals.periods[sums.periods].per == "span" && table.rows.size() < kMostNumbers)
      table.rows.push_back(row_of(sums.name, sums, 0));
  if (table.rows.empty()) return "";
  return fmt::format("<details><summary>{} over the whole span</summary>\n{}</details>\n", head, to_html(table));
}

}  // namespace

std::string newest_total(const Release& release) {
  const Sums* const sums = all_by_slot(release);
  if (sums == nullptr) return "";
  const std::size_t last = sums->value.size() - 1;
  return fmt::format("All series, {}: {}", slot_phrase(release.axis, last),
                     between_words(sums->value[last], sums->lower[last], sums->upper[last]));
}

std::string totals_section(const Release& release, const std::string& measure) {
  if (release.totals.sums.empty()) return "";
  std::string out;
  if (const Sums* const sums = all_by_slot(release)) {
    const std::vector<std::uint8_t> sampled(sums->value.size(), 1);
    Chart chart;
    chart.id = "total", chart.title = "All series";
    chart.axis = &release.axis;
    chart.value = sums->value, chart.lower = sums->lower, chart.upper = sums->upper, chart.sampled = sampled;
    chart.large = true;
    chart.measure = measure;
    out += to_html(chart);
  }
  out += over_time(release) + by_name(release, "group", "Groups") + by_name(release, "series", "Series");
  return section("Totals",
                 out +
                     "<p class=\"quiet\">Totals are made of values that are neither cut at 0 nor rounded, and "
                     "have intervals of their own: do not add up the figures below instead.</p>\n");
}

}  // namespace chronoveil::report
