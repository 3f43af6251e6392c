#include "chronoveil/report/draw/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "chronoveil/report/document/intervals.h"
#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/draw/levels.h"
#include "chronoveil/report/draw/thinning.h"
#include "chronoveil/report/page/markup.h"

namespace chronoveil::report {
namespace {

struct Cells {
  std::size_t rows = 0, columns = 0;
  std::vector<double> mean;
};

Cells averaged(const Release& release) {
  const std::size_t series = static_cast<std::size_t>(release.series());
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  Cells cells{std::min(series, kMostRows), std::min(steps, kMostColumns), {}};
  for (std::size_t row = 0; row < cells.rows; ++row) {
    const Stretch down = stretch(row, cells.rows, series);
    for (std::size_t column = 0; column < cells.columns; ++column) {
      const Stretch across = stretch(column, cells.columns, steps);
      double sum = 0;
      for (std::size_t s = down.from; s < down.to; ++s)
        for (std::size_t t = across.from; t < across.to; ++t) sum += release.estimate.value[s * steps + t];
      cells.mean.push_back(sum / static_cast<double>((down.to - down.from) * (across.to - across.from)));
    }
  }
  return cells;
}

// One path per colour, one horizontal stroke per run of equal cells. Colour 0 is the ground.
std::string paths(const Cells& cells, const Levels& levels) {
  std::array<std::string, kColours> drawn;
  const auto colour_of = [&](std::size_t at) { return levels.colour_of(cells.mean[at]); };
  for (std::size_t row = 0; row < cells.rows; ++row) {
    for (std::size_t column = 0; column < cells.columns;) {
      const std::size_t run = colour_of(row * cells.columns + column);
      std::size_t end = column + 1;
      while (end < cells.columns && colour_of(row * cells.columns + end) == run) ++end;
      if (run > 0) drawn[run] += fmt::format("M{} {}.5h{}", column, row, end - column);
      column = end;
    }
  }
  std::string out;
  for (std::size_t i = 1; i < kColours; ++i)
    if (!drawn[i].empty()) out += fmt::format("<path class=\"h{}\" d=\"{}\"/>", i, drawn[i]);
  return out;
}

}  // namespace

std::string heat_map(const Release& release, const std::string& id) {
  const std::size_t series = static_cast<std::size_t>(release.series());
  const std::size_t steps = static_cast<std::size_t>(release.axis.steps());
  if (release.keys.empty() || steps == 0) return "";
  const Cells cells = averaged(release);
  const Levels levels(cells.mean, usual_width(release.estimate.lower, release.estimate.upper));
  const SlotWords words = slot_words(release.axis);
  std::string note = fmt::format("{} series, {}", grouped(release.series()), span_words(release.axis));
  if (series > cells.rows || steps > cells.columns)
    note += fmt::format("; each cell is a mean of up to {} series and {} {}", (series + cells.rows - 1) / cells.rows,
                        (steps + cells.columns - 1) / cells.columns, words.many);

  std::string out = fmt::format("<figure class=\"chart map\"><figcaption><b>All series</b><span>{}</span></figcaption>",
                                escaped(note));
  if (!levels.limits().empty()) out += "<p class=\"legend scale\">" + levels.swatches() + "</p>";
  // Rows are as high as a label while there is room for that.
  out += fmt::format("<div class=\"plot\" style=\"height:{}px\">", std::clamp<std::size_t>(cells.rows * 18, 90, 560));
  const std::size_t every = (cells.rows + 30) / 31;
  for (std::size_t row = 0; row < cells.rows; row += every) {
    const std::string& key = release.keys[stretch(row, cells.rows, series).from];
    out += fmt::format("<i class=\"y\" style=\"bottom:{:.2f}%\">{}</i>",
                       100 - (static_cast<double>(row) + 0.5) / static_cast<double>(cells.rows) * 100, escaped(key));
  }
  out += fmt::format(
      "<svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" aria-labelledby=\"{}-t {}-d\">"
      "<title id=\"{}-t\">All series over time</title><desc id=\"{}-d\">{}</desc>",
      cells.columns, cells.rows, id, id, id, id,
      escaped("One row per series, one column per stretch of time: " + note + "."));
  out += paths(cells, levels) + "</svg>";
  out += tick_labels(time_ticks(release.axis, 9));
  return out + "</div><p class=\"axis across\">" + escaped("Time (" + release.axis.zone + ")") + "</p></figure>\n";
}

}  // namespace chronoveil::report
