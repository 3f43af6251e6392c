// A forecast as a figure: the past as a line, and from where it ends the median with bands around it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/report/draw/frame.h"
#include "chronoveil/report/forecast/forecasted.h"

namespace chronoveil::report {

// With its numbers behind it, and `csv` (HTML) below those. `number` makes its id unique on the page; `large`: it is
// the only one.
std::string fan_chart(const Forecasted&, const ForecastSeries&, std::size_t number, bool large,
                      const std::string& csv = "");
// The drawing alone; none if there is nothing to draw.
std::optional<Frame> fan_frame(const Forecasted&, const ForecastSeries&, std::size_t number, bool large);
// What its lines and bands stand for.
std::vector<LegendEntry> fan_legend();

}  // namespace chronoveil::report
