#include <fmt/format.h>

#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/standalone.h"
#include "chronoveil/report/page/guarantee_line.h"
#include "chronoveil/report/series/charts.h"
#include "chronoveil/report/series/writers.h"

namespace chronoveil::report {

std::string to_svg(const Published& published) {
  const Release& release = published.release;
  Picture picture;
  picture.line("head", published.title);
  const std::string promise = guarantee_line(release.guarantee, release.mark);
  picture.line("soft", promise);
  picture.line("soft",
               fmt::format("The line is the published value, the band its {} interval.", percent(release.level)));
  const std::vector<Chart> charts = charts_of(release, measure_of(published));
  if (charts.size() < static_cast<std::size_t>(release.series()))
    picture.line("soft", fmt::format("The first {} of {} series.", charts.size(), grouped(release.series())));
  for (const Chart& chart : charts) picture.frame(frame_of(chart));
  return picture.svg(published.title, promise);
}

}  // namespace chronoveil::report
