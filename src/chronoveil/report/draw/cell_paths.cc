#include "chronoveil/report/draw/cell_paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/page/markup.h"

namespace chronoveil::report {
namespace {

// Relative moves by whole numbers: short, without rounding errors that add up.
std::string outline(std::span<const TileCorner> corners) {
  std::string d = fmt::format("M{} {}l", corners[0].x, corners[0].y);
  for (std::size_t i = 1; i < corners.size(); ++i)
    d += fmt::format("{}{} {}", i == 1 ? "" : " ", corners[i].x - corners[i - 1].x, corners[i].y - corners[i - 1].y);
  return d + "z";
}

struct Span {
  int left, right, top, bottom;
};

Span span_of(std::span<const TileCorner> corners) {
  Span span{corners[0].x, corners[0].x, corners[0].y, corners[0].y};
  for (const TileCorner& corner : corners)
    span = {std::min(span.left, corner.x), std::max(span.right, corner.x), std::min(span.top, corner.y),
            std::max(span.bottom, corner.y)};
  return span;
}

std::string swatch(std::string_view shape, std::string_view over) {
  return fmt::format(
      "<svg class=\"swatch cells\" viewBox=\"0 0 16 12\" aria-hidden=\"true\"><g class=\"{}\">{}</g>{}"
      "</svg>",
      shape, "<path d=\"M0 0h16v12h-16z\"/>", over);
}

}  // namespace

void CellPaths::add(std::span<const TileCorner> corners, const CellSummary& cells, const std::string& title) {
  std::string shape = outline(corners);
  if (tooltips_) shape = fmt::format("<path d=\"{}\"><title>{}</title></path>", shape, escaped(title));
  if (cells.published > 0)
    coloured_[levels_.colour_of(cells.mean)] += shape;
  else
    bare_ += shape;
  const Span span = span_of(corners);
  if (is_vague(cells, release_)) {
    // From corner to corner of the inner half, so that it stays inside a hexagon.
    const int dx = (span.right - span.left) / 2, dy = (span.bottom - span.top) / 2;
    strikes_ += fmt::format("M{} {}l{} {}", span.left + dx / 2, span.bottom - dy / 2, dx, -dy);
  } else if (cells.published == 0 && cells.sparse > 0) {
    dots_ += fmt::format("M{} {}h0", (span.left + span.right) / 2, (span.top + span.bottom) / 2);
  }
}

std::string CellPaths::svg() const {
  std::string out;
  const auto put = [&](const std::string& css, const std::string& shapes) {
    if (shapes.empty()) return;
    out += tooltips_ ? fmt::format("<g class=\"{}\">{}</g>", css, shapes)
                     : fmt::format("<g class=\"{}\"><path d=\"{}\"/></g>", css, shapes);
  };
  put("bare", bare_);
  for (std::size_t i = 0; i < kColours; ++i) put("c" + std::to_string(i), coloured_[i]);
  if (!dots_.empty()) out += fmt::format("<path class=\"few\" d=\"{}\"/>", dots_);
  // In two strokes, so that it shows on pale and on strong colours.
  if (!strikes_.empty())
    out += fmt::format("<path class=\"halo\" d=\"{0}\"/><path class=\"struck\" d=\"{0}\"/>", strikes_);
  return out;
}

std::string cells_legend(const Levels& levels, const MeansRelease& release, std::span<const CellSummary> shown) {
  const auto any = [&](auto is) { return std::any_of(shown.begin(), shown.end(), is); };
  std::string items = levels.swatches();
  if (items.empty()) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const CellSummary& cells : shown)
      if (cells.published > 0) low = std::min(low, cells.mean), high = std::max(high, cells.mean);
    if (low <= high)
      items = fmt::format(
          "<span>{}{}</span>", swatch(fmt::format("c{}", levels.colour_of(low)), ""),
          low == high ? rounded(low)
                      : rounded(low) + " to " + rounded(high) + ": too close for their intervals to tell apart");
  }
  if (any([&](const CellSummary& c) { return is_vague(c, release); }))
    items += fmt::format("<span>{}vague: the interval is wider than half of what a value can be, {} to {}</span>",
                         swatch("bare", "<path class=\"halo\" d=\"M4 9l8-6\"/><path class=\"struck\" d=\"M4 9l8-6\"/>"),
                         rounded(release.lower), rounded(release.upper));
  if (any([](const CellSummary& c) { return c.published == 0 && c.sparse == 0; }))
    items += "<span>" + swatch("bare", "") + "nobody there</span>";
  if (any([](const CellSummary& c) { return c.published == 0 && c.sparse > 0; }))
    items += "<span>" + swatch("bare", "<path class=\"few\" d=\"M8 6h0\"/>") + "too few to publish</span>";
  return "<p class=\"legend scale\">" + items + "</p>\n";
}

}  // namespace chronoveil::report
