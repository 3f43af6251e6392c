#include "chronoveil/report/means/table.h"

#include <fmt/format.h>

#include "chronoveil/base/csv_time.h"
#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/means/words.h"
#include "chronoveil/report/page/markup.h"
#include "chronoveil/report/page/page.h"

namespace chronoveil::report {
namespace {

constexpr std::size_t kMostOpenRows = 24;  // longer tables are folded
constexpr int kDigits = 4;

}  // namespace

std::string slot_text(const SlotAxis& axis, std::size_t slot) {
  const auto time = parse_label(axis.labels[slot]);
  if (!time) return axis.labels[slot];
  // Midnight is a time like any other where slots are parts of a day.
  if (!has_whole_days(axis)) return date_words(*time) + ", " + clock_words(*time);
  return time_words(*time);
}

std::string place_text(const MeansRelease& release, std::size_t place) {
  return release.places.empty() ? "All" : release.places[place];
}

std::string means_table(const MeansRelease& release) {
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  const CellNumbers numbers = cell_numbers(release);
  if (numbers.published == 0) return "<p>No cell has a mean that could be published.</p>\n";
  Table table{.head = {"Place", "Slot", "Mean", "From", "To"}, .rows = {}, .text_columns = 2};
  for (std::size_t at = 0; at < release.cells.size() && table.rows.size() < kMostCellRows; ++at) {
    const CellEstimate& cell = release.cells[at];
    if (cell.state != CellEstimate::State::published) continue;
    table.rows.push_back({escaped(place_text(release, at / steps)), escaped(slot_text(release.axis, at % steps)),
                          rounded(cell.mean, kDigits), rounded(cell.lower, kDigits), rounded(cell.upper, kDigits)});
  }
  const std::size_t shown = table.rows.size();
  const std::int64_t left = numbers.published - static_cast<std::int64_t>(shown);
  std::string out = to_html(table) + "<p class=\"quiet\">";
  out += fmt::format("From and to: the {} interval.", percent(release.level));
  if (numbers.empty + numbers.sparse > 0) out += " Cells without a mean are left out here; they are in the CSV.";
  if (left > 0)
    out += fmt::format(" These are the first {}; {} more are in the CSV.", grouped(static_cast<std::int64_t>(shown)),
                       grouped(left));
  out += "</p>\n";
  if (shown <= kMostOpenRows) return out;
  const std::string which = left > 0 ? "the first " + grouped(static_cast<std::int64_t>(shown)) + " of " : "";
  return fmt::format("<details><summary>Table of {}{} cells</summary>\n{}</details>\n", which,
                     grouped(numbers.published), out);
}

}  // namespace chronoveil::report
