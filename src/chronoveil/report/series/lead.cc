#include "chronoveil/report/series/lead.h"

#include <fmt/format.h>

#include <algorithm>

#include "chronoveil/report/document/intervals.h"
#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/page/markup.h"
#include "chronoveil/report/page/page.h"
#include "chronoveil/report/page/sections.h"
#include "chronoveil/report/series/charts.h"
#include "chronoveil/report/series/totals_html.h"

namespace chronoveil::report {
namespace {

// The part of one series.
struct Part {
  std::span<const double> value, lower, upper;
};

Part part_of(const Release& release, std::size_t series) {
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  const auto part = [&](const std::vector<double>& all) { return std::span(all).subspan(series * steps, steps); };
  return {part(release.estimate.value), part(release.estimate.lower), part(release.estimate.upper)};
}

// Against the slot before: named only where the intervals do not overlap.
std::string change_words(const Release& release, const Part& part) {
  const std::size_t last = part.value.size() - 1;
  if (last == 0) return "";
  const std::string before = "the " + slot_words(release.axis).one + " before";
  if (part.lower[last] <= part.upper[last - 1] && part.upper[last] >= part.lower[last - 1])
    return fmt::format(" Whether that is more or less than {} cannot be told.", before);
  return fmt::format(" That is {} than {}: {}.", part.lower[last] > part.upper[last - 1] ? "more" : "less", before,
                     between_words(part.value[last - 1], part.lower[last - 1], part.upper[last - 1]));
}

std::string newest_of_many(const Release& release) {
  const std::size_t last = static_cast<std::size_t>(release.axis.steps()) - 1;
  const std::size_t shown = std::min(release.keys.size(), kMostCharts);
  Table table{.head = {"Series", "Value", "Between"}, .rows = {}};
  for (std::size_t i = 0; i < shown; ++i) {
    const Part part = part_of(release, i);
    table.rows.push_back({escaped(release.keys[i]), rounded(part.value[last]),
                          fmt::format("{} and {}", rounded(part.lower[last]), rounded(part.upper[last]))});
  }
  return fmt::format("<p class=\"newest\">{}</p>\n", escaped(slot_phrase(release.axis, last))) +
         newest_table("newest value", table, release.keys.size());
}

std::string informative_words(const Release& release) {
  bool nothing = true, differ = false;
  for (std::size_t i = 0; i < static_cast<std::size_t>(release.series()); ++i) {
    const Part part = part_of(release, i);
    nothing = nothing && uninformative(part.value, part.lower, part.upper);
    differ = differ || some_differ(part.lower, part.upper);
  }
  if (nothing)
    return "<p class=\"notice\"><b>Nothing here is informative.</b> The intervals are as wide as the values "
           "themselves: "
           "what is shown is mostly noise.</p>\n";
  if (!differ && release.axis.steps() > 1)
    return "<p class=\"notice\">The values over time do not differ by more than their intervals: no rise, fall or "
           "maximum can be read from them.</p>\n";
  return "";
}

}  // namespace

std::string series_lead(const Published& published, const std::string& note) {
  const Release& release = published.release;
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  if (steps == 0) return "";
  std::string out = "<section class=\"lead\" aria-label=\"The result\">\n<div id=\"result\">\n";
  if (release.keys.empty()) {
    const Part part = part_of(release, 0);
    out += fmt::format("<p class=\"newest\">{}: {}</p>\n", escaped(slot_phrase(release.axis, steps - 1)),
                       between_words(part.value[steps - 1], part.lower[steps - 1], part.upper[steps - 1]));
    if (const std::string change = change_words(release, part); !change.empty())
      out += "<p>" + escaped(change.substr(1)) + "</p>\n";
  } else {
    if (const std::string total = newest_total(release); !total.empty())
      out += "<p class=\"newest\">" + escaped(total) + "</p>\n";
    out += newest_of_many(release);
  }
  return out + "</div>\n<div id=\"sure\">\n" + informative_words(release) + note + "</div>\n</section>\n";
}

}  // namespace chronoveil::report
