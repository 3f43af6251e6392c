#include "chronoveil/report/means/lead.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "chronoveil/report/document/intervals.h"
#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/means/summary.h"
#include "chronoveil/report/means/words.h"
#include "chronoveil/report/page/markup.h"

namespace chronoveil::report {
namespace {

std::string newest_words(const MeansPublished& published) {
  const MeansRelease& release = published.release;
  std::vector<std::size_t> places(static_cast<std::size_t>(release.place_count()));
  std::iota(places.begin(), places.end(), std::size_t{0});
  // The newest slot with a mean; if there is none, the last.
  const std::size_t end = static_cast<std::size_t>(release.axis.steps());
  std::size_t last = end;
  CellSummary newest;
  while (newest.published == 0 && last > 0) newest = summary_of(release, places, std::span(&--last, 1));
  if (newest.published == 0) newest = summary_of(release, places, std::span(&(last = end - 1), 1));
  const std::string slot = slot_phrase(release.axis, last), measure = measure_words(published);
  if (newest.published == 0)
    return fmt::format("{}: {}", slot, newest.sparse > 0 ? "too few to publish a mean" : "nobody there");
  if (newest.published == 1)
    return fmt::format("{}: mean {} {}", slot, measure, between_words(newest.mean, newest.lower, newest.upper));
  return fmt::format("{}: mean {} {} over {} places, each known to about ±\u202f{}", slot, measure,
                     rounded(newest.mean), grouped(newest.published), rounded((newest.upper - newest.lower) / 2));
}

std::string informative_words(const MeansRelease& release) {
  std::vector<double> lower, upper;
  for (const CellEstimate& cell : release.cells) {
    if (cell.state != CellEstimate::State::published) continue;
    lower.push_back(cell.lower);
    upper.push_back(cell.upper);
  }
  if (lower.empty()) return "";
  // Rounding may leave an interval a little short of the bounds that cut it off.
  const double bounds = (release.upper - release.lower) * (1 - 1e-9);
  if (usual_width(lower, upper) >= bounds)
    return fmt::format(
        "<p class=\"notice\"><b>Nothing here is informative.</b> The intervals are as wide as the public bounds, {} to "
        "{}: what is shown is mostly noise.</p>\n",
        rounded(release.lower), rounded(release.upper));
  if (lower.size() > 1 && !some_differ(lower, upper))
    return "<p class=\"notice\">No two means differ by more than their intervals: no place or time can be called "
           "higher "
           "than another.</p>\n";
  return "";
}

}  // namespace

std::string means_lead(const MeansPublished& published, const std::string& note) {
  const MeansRelease& release = published.release;
  if (release.axis.steps() == 0) return "";
  const Facts facts = facts_of(published);
  std::string out = fmt::format(
      "<section class=\"lead\" aria-label=\"The result\">\n<div id=\"result\">\n<p class=\"newest\">{}</p>\n</div>\n",
      escaped(newest_words(published)));
  out += "<div id=\"sure\">\n" + informative_words(release) + note + "</div>\n";
  if (facts.limits_stand_out)
    out += "<p class=\"notice\"><b>Not protected:</b> " + escaped(facts.not_protected) + "</p>\n";
  return out + "</section>\n";
}

}  // namespace chronoveil::report
