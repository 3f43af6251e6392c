// Drawings as SVG files that stand alone: text and colours are in them, on a light ground.
#pragma once

#include <string>
#include <vector>

#include "chronoveil/report/draw/frame.h"

namespace chronoveil::report {

inline constexpr int kPictureWide = 900, kLineHigh = 20, kMargin = 16;

// A drawing that grows downwards.
class Picture {
 public:
  // A line of text, not yet escaped. `css` is "head", "text" or "soft".
  void line(std::string_view css, const std::string& text);
  void frame(const Frame&);
  // A drawing in units of its own, from -1 on, `wide` and `high` of them: as wide as there is room, but at most
  // `widest` and `highest` pixels. `shapes` are elements of SVG.
  void box(std::string_view css, int wide, int high, int widest, int highest, const std::string& shapes);
  // Swatches with what they stand for, in rows.
  struct Entry {
    std::string css, text;  // of a filled square
  };
  void legend(const std::vector<Entry>&);
  // What lines, bands and dots of a frame stand for, one below the other.
  void legend(const std::vector<LegendEntry>&);

  // Neither is escaped yet. `description` says what the release promises, or that it is not private: is_marked looks
  // for it there, where no title can be.
  std::string svg(const std::string& title, const std::string& description) const;

 private:
  int down_ = kMargin;
  std::string out_;
};

}  // namespace chronoveil::report
