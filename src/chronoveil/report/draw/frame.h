// The frame of a drawing with two axes: grid lines, ticks, a caption, a description for those who cannot see it. The
// drawing is an SVG that is stretched to the available room, except for its strokes; the labels are HTML over it, so
// that text has its full size on a phone and on paper.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/draw/marks.h"
#include "chronoveil/report/draw/scale.h"

namespace chronoveil::report {

// The drawing's own units: whole numbers, fine enough for any screen. (0, 0) is the upper left corner.
inline constexpr int kFrameWide = 2000, kFrameHigh = 1000;
// The unit of a position between 0 (left, bottom) and 1 (right, top).
int across_at(double position);
int up_at(double position);

struct Frame {
  std::string id;                 // unique on the page
  std::string title;              // not yet escaped, like the next two
  std::string note;               // beside the title
  std::string description;        // the drawing in words
  std::vector<Tick> across = {};  // to the right
  std::vector<Tick> up = {};
  std::string drawing;                           // elements of SVG, over the grid
  bool large = false;                            // the only one on the page
  std::string across_title = "", up_title = "";  // of the axes, not yet escaped
  std::vector<Mark> marks = {};                  // its values, on pointing and by keyboard
};
std::string to_html(const Frame&);

std::vector<Tick> ticks_of(const Scale&);

// <path class="css" d="..."/>; empty if there is nothing to draw.
std::string path_of(std::string_view css, const std::string& d);

// An entry of a legend: a small drawing 22 wide and 12 high, and what it stands for.
std::string legend_entry(std::string_view css, std::string_view d, std::string_view text);
struct LegendEntry {
  std::string css, d, text;
};
std::string legend_of(const std::vector<LegendEntry>&);  // empty if there are none

}  // namespace chronoveil::report
