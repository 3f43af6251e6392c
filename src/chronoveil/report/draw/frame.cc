#include "chronoveil/report/draw/frame.h"

#include <fmt/format.h>

#include <cmath>

#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/page/markup.h"

namespace chronoveil::report {

int across_at(double position) { return static_cast<int>(std::lround(position * kFrameWide)); }
int up_at(double position) { return static_cast<int>(std::lround((1 - position) * kFrameHigh)); }

std::string path_of(std::string_view css, const std::string& d) {
  return d.empty() ? "" : fmt::format("<path class=\"{}\" d=\"{}\"/>", css, d);
}

std::string legend_entry(std::string_view css, std::string_view d, std::string_view text) {
  return fmt::format(
      "<span><svg class=\"swatch\" viewBox=\"0 0 22 12\" aria-hidden=\"true\"><path class=\"{}\" d=\"{}\"/></svg>{}"
      "</span>",
      css, d, escaped(text));
}

std::string legend_of(const std::vector<LegendEntry>& entries) {
  std::string out;
  for (const LegendEntry& entry : entries) out += legend_entry(entry.css, entry.d, entry.text);
  return out.empty() ? "" : "<p class=\"legend\">" + out + "</p>\n";
}

std::vector<Tick> ticks_of(const Scale& scale) {
  std::vector<Tick> all;
  for (const double tick : scale.ticks()) all.push_back({scale.position(tick), tick_text(tick, scale.unit), true});
  return all;
}

std::string to_html(const Frame& frame) {
  std::string out = fmt::format("<figure class=\"chart{}\"><figcaption><b>{}</b><span>{}</span></figcaption>",
                                frame.large ? " large" : "", escaped(frame.title), escaped(frame.note));
  if (!frame.up_title.empty()) out += "<p class=\"axis\">" + escaped(frame.up_title) + "</p>";
  out += "<div class=\"plot\">";
  std::string grid;
  for (const Tick& tick : frame.up) {
    out += fmt::format("<i class=\"y\" style=\"bottom:{:.2f}%\">{}</i>", tick.at * 100, escaped(tick.text));
    grid += fmt::format("M0 {}h{}", up_at(tick.at), kFrameWide);
  }
  for (const Tick& tick : frame.across) grid += fmt::format("M{} 0v{}", across_at(tick.at), kFrameHigh);
  out += fmt::format(
      "<svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" aria-labelledby=\"{}-t {}-d\">"
      "<title id=\"{}-t\">{}</title><desc id=\"{}-d\">{}</desc>",
      kFrameWide, kFrameHigh, frame.id, frame.id, frame.id, escaped(frame.title), frame.id, escaped(frame.description));
  out += path_of("grid", grid) + frame.drawing + "</svg>" + tick_labels(frame.across) +
         value_marks(frame.id, frame.title, frame.marks) + "</div>";
  if (!frame.across_title.empty()) out += "<p class=\"axis across\">" + escaped(frame.across_title) + "</p>";
  return out + "</figure>\n";
}

}  // namespace chronoveil::report
