#include "chronoveil/report/draw/standalone.h"

#include <fmt/format.h>

#include <algorithm>

#include "chronoveil/report/draw/paths.h"
#include "chronoveil/report/page/markup.h"

namespace chronoveil::report {
namespace {

constexpr std::string_view kStyle =
    "text{font:13px system-ui,-apple-system,'Segoe UI',Roboto,Arial,sans-serif;fill:#1b2730}"
    ".head{font-size:18px;font-weight:650}.soft{fill:#51606c}.y{text-anchor:end}.x{text-anchor:middle}"
    "path{fill:none;stroke-linejoin:round}.grid{stroke:#dbe1e4}"
    ".band{fill:#0b6b7430}.line{stroke:#0b6b74;stroke-width:1.6}"
    ".dots{stroke:#0b6b74;stroke-width:5;stroke-linecap:round}.cells path{stroke:#dbe1e4;stroke-width:.7}"
    ".c0,.c0 path{fill:#eef2f3}.c1,.c1 path{fill:#d9e8e8}.c2,.c2 path{fill:#bcdada}.c3,.c3 path{fill:#98c8ca}"
    ".c4,.c4 path{fill:#6fb1b5}.c5,.c5 path{fill:#43979d}.c6,.c6 path{fill:#1f7a82}.c7,.c7 path{fill:#0a5059}"
    ".bare path{fill:transparent}.cells .few{stroke:#51606c;stroke-width:3;stroke-linecap:round}"
    ".cells .halo{stroke:#fff;stroke-width:3}.cells .struck{stroke:#1b2730;stroke-width:1.1}"
    ".bars{fill:#43979d}.claim,.paper{stroke:#0b6b74;stroke-width:10;stroke-linecap:round}.truth,.paper{stroke:#b4530f}"
    ".cells .scalebar{stroke:#1b2730;stroke-width:2}";

constexpr int kPlotLeft = 74, kPlotHigh = 190;

std::string text_at(std::string_view css, int x, int y, const std::string& text) {
  return fmt::format("<text class=\"{}\" x=\"{}\" y=\"{}\">{}</text>\n", css, x, y, escaped(text));
}

}  // namespace

void Picture::line(std::string_view css, const std::string& text) {
  down_ += css == "head" ? kLineHigh + 4 : kLineHigh;
  out_ += text_at(css, kMargin, down_ - 5, text);
}

void Picture::frame(const Frame& frame) {
  line("text", frame.title);
  line("soft", frame.note);
  if (!frame.up_title.empty()) line("soft", frame.up_title);
  const int top = down_ + 8, wide = kPictureWide - kPlotLeft - kMargin;
  std::string grid;
  for (const Tick& tick : frame.up) grid += fmt::format("M0 {}h{}", up_at(tick.at), kFrameWide);
  for (const Tick& tick : frame.across) grid += fmt::format("M{} 0v{}", across_at(tick.at), kFrameHigh);
  out_ += fmt::format("<g transform=\"translate({} {})\">{}</g>\n", kPlotLeft, top,
                      scaled_paths(path_of("grid", grid) + frame.drawing, static_cast<double>(wide) / kFrameWide,
                                   static_cast<double>(kPlotHigh) / kFrameHigh));
  for (const Tick& tick : frame.up)
    out_ += text_at("soft y", kPlotLeft - 8, top + static_cast<int>((1 - tick.at) * kPlotHigh) + 4, tick.text);
  for (const Tick& tick : frame.across)
    out_ += text_at("soft x", kPlotLeft + static_cast<int>(tick.at * wide), top + kPlotHigh + 17, tick.text);
  down_ = top + kPlotHigh + kLineHigh;
  if (!frame.across_title.empty()) line("soft", frame.across_title);
  down_ += kMargin;
}

void Picture::box(std::string_view css, int wide, int high, int widest, int highest, const std::string& shapes) {
  const double room = std::min(widest, kPictureWide - 2 * kMargin);
  const double scale = std::min(room / wide, static_cast<double>(highest) / high);
  out_ += fmt::format("<g class=\"{}\" transform=\"translate({:.2f} {:.2f})\">{}</g>\n", css, kMargin + scale,
                      down_ + 8 + scale, scaled_paths(shapes, scale, scale));
  down_ += static_cast<int>(high * scale) + kMargin;
}

void Picture::legend(const std::vector<Entry>& entries) {
  constexpr int kEntryWide = 120, kSide = 14;
  constexpr int kInRow = (kPictureWide - 2 * kMargin) / kEntryWide;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const int x = kMargin + static_cast<int>(i) % kInRow * kEntryWide;
    if (i % kInRow == 0) down_ += kLineHigh;
    out_ += fmt::format("<rect class=\"{}\" x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/>\n", entries[i].css, x,
                        down_ - kSide - 2, kSide, kSide);
    out_ += text_at("soft", x + kSide + 6, down_ - 5, entries[i].text);
  }
}

void Picture::legend(const std::vector<LegendEntry>& entries) {
  constexpr int kSwatchWide = 22;
  for (const LegendEntry& entry : entries) {
    down_ += kLineHigh;
    out_ += fmt::format("<g transform=\"translate({} {})\">{}</g>\n", kMargin, down_ - 16, path_of(entry.css, entry.d));
    out_ += text_at("soft", kMargin + kSwatchWide + 8, down_ - 5, entry.text);
  }
}

std::string Picture::svg(const std::string& title, const std::string& description) const {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n"
      "<title>{2}</title>\n<desc>{3}</desc>\n<style>{4}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
      "{5}</svg>\n",
      kPictureWide, down_ + kMargin, escaped(title), escaped(description), kStyle, out_);
}

}  // namespace chronoveil::report
