#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/fan_chart.h"
#include "chronoveil/report/draw/standalone.h"
#include "chronoveil/report/forecast/forecasted.h"
#include "chronoveil/report/page/guarantee_line.h"
#include "chronoveil/report/series/charts.h"

namespace chronoveil::report {

std::string history_promise(const Forecasted& forecasted) {
  if (!forecasted.mark.empty()) return forecasted.mark;
  if (forecasted.input) return guarantee_line(forecasted.input->guarantee, "");
  if (forecasted.released) return guarantee_line(forecasted.released->guarantee, forecasted.released->mark);
  return "The history is not protected: for those alone who may see it";
}

std::string to_svg(const Forecasted& forecasted) {
  Picture picture;
  picture.line("head", forecasted.title);
  const std::string promise = history_promise(forecasted);
  picture.line("soft", promise);
  if (forecasted.input && forecasted.input->is_mostly_noise())
    picture.line("soft",
                 fmt::format("Mostly noise: {} times the width of the bounds of values, as a standard deviation.",
                             rounded(forecasted.input->noise_in_widths())));
  const std::size_t shown = std::min(forecasted.series.size(), kMostCharts);
  if (shown < forecasted.series.size())
    picture.line("soft", fmt::format("The first {} of {} series.", shown,
                                     grouped(static_cast<std::int64_t>(forecasted.series.size()))));
  picture.legend(fan_legend());
  for (std::size_t i = 0; i < shown; ++i)
    if (const std::optional<Frame> frame = fan_frame(forecasted, forecasted.series[i], i, shown == 1))
      picture.frame(*frame);
  return picture.svg(forecasted.title, promise);
}

}  // namespace chronoveil::report
