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
  // A drawing of its own units, as wide as there is room but at most `most` high; elements of SVG in a box.
  void box(std::string_view css, const std::string& view_box, double wide_over_high, int most,
           const std::string& shapes);
  // Swatches with what they stand for, in rows.
  struct Entry {
    std::string css, text;  // of a filled square
  };
  void legend(const std::vector<Entry>&);

  // `title` is not yet escaped.
  std::string svg(const std::string& title) const;

 private:
  int down_ = kMargin;
  std::string out_;
};

}  // namespace chronoveil::report
