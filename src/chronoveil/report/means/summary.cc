#include "chronoveil/report/means/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "chronoveil/base/csv_time.h"
#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/thinning.h"

namespace chronoveil::report {
namespace {

std::vector<LocalTime> starts_of(const SlotAxis& axis) {
  std::vector<LocalTime> all;
  for (const std::string& label : axis.labels) {
    const std::optional<LocalTime> time = parse_label(label);
    if (!time) return {};
    all.push_back(*time);
  }
  return all;
}

bool same_day(const LocalTime& a, const LocalTime& b) {
  return a.year == b.year && a.month == b.month && a.day == b.day;
}

// Short enough for the label of a column; a single day is named in the heading.
std::string start_words(const SlotAxis& axis, const std::vector<LocalTime>& starts, std::size_t slot) {
  if (starts.empty()) return axis.labels[slot];
  if (same_day(starts.front(), starts.back()) && starts.size() > 1) return clock_words(starts[slot]);
  return day_words(starts[slot]) + (is_midnight(starts[slot]) ? "" : " " + clock_words(starts[slot]));
}

bool differ_in_hour(const std::vector<LocalTime>& starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](const LocalTime& start) { return start.hour != starts.front().hour; });
}

}  // namespace

CellSummary summary_of(const MeansRelease& release, std::span<const std::size_t> places,
                       std::span<const std::size_t> slots) {
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  CellSummary all;
  double mean = 0, lower = 0, upper = 0;
  for (const std::size_t place : places) {
    for (const std::size_t slot : slots) {
      const CellEstimate& cell = release.cells[place * steps + slot];
      if (cell.state != CellEstimate::State::published) {
        ++(cell.state == CellEstimate::State::empty ? all.empty : all.sparse);
        continue;
      }
      ++all.published;
      mean += cell.mean;
      lower += cell.lower;
      upper += cell.upper;
    }
  }
  if (all.published == 0) return all;
  const double count = static_cast<double>(all.published);
  all.mean = mean / count;
  all.lower = lower / count;
  all.upper = upper / count;
  return all;
}

bool is_vague(const CellSummary& cells, const MeansRelease& release) {
  return cells.published > 0 && cells.upper - cells.lower > (release.upper - release.lower) / 2;
}

std::string words_of(const CellSummary& cells, const MeansRelease& release) {
  if (cells.published == 0) return cells.sparse > 0 ? "too few to publish" : "nobody there";
  if (cells.published == 1)
    return fmt::format("{} ({} interval {} to {})", rounded(cells.mean), percent(release.level), rounded(cells.lower),
                       rounded(cells.upper));
  return fmt::format("{}, mean of {} cells (intervals ± {})", rounded(cells.mean), grouped(cells.published),
                     rounded((cells.upper - cells.lower) / 2));
}

SlotColumns columns_of(const SlotAxis& axis) {
  const std::size_t steps = static_cast<std::size_t>(axis.steps());
  const std::vector<LocalTime> starts = starts_of(axis);
  SlotColumns columns;
  if (steps <= kMostSlotColumns) {
    for (std::size_t slot = 0; slot < steps; ++slot) columns.all.push_back({start_words(axis, starts, slot), {slot}});
    return columns;
  }
  // A clock change moves the hour at which a slot of days begins, so that hour means nothing.
  if (differ_in_hour(starts) && !has_whole_days(axis)) {
    columns.by = SlotColumns::By::hour_of_day;
    std::vector<std::vector<std::size_t>> hours(24);
    for (std::size_t slot = 0; slot < steps; ++slot) hours[static_cast<std::size_t>(starts[slot].hour)].push_back(slot);
    for (std::size_t hour = 0; hour < hours.size(); ++hour)
      if (!hours[hour].empty()) columns.all.push_back({fmt::format("{:02}:00", hour), std::move(hours[hour])});
    return columns;
  }
  columns.by = SlotColumns::By::stretch;
  for (std::size_t column = 0; column < kMostSlotColumns; ++column) {
    const auto [from, to] = stretch(column, kMostSlotColumns, steps);
    columns.all.push_back({start_words(axis, starts, from), {}});
    for (std::size_t slot = from; slot < to; ++slot) columns.all.back().slots.push_back(slot);
  }
  return columns;
}

}  // namespace chronoveil::report
