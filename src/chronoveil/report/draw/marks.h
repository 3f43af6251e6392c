// The values of a drawing for those who point at it or go through it by keyboard, without a script: one stop for the
// Tab key, then the arrow keys.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chronoveil/report/draw/thinning.h"

namespace chronoveil::report {

inline constexpr std::size_t kMostMarks = 120, kMostSmallMarks = 60;  // of a large drawing, and of one of many

struct Mark {
  double left = 0, right = 0;  // the part of the width that it stands for, 0 to 1
  std::string words;           // not yet escaped
};

// Of a drawing of cells: one mark per cell, over its box, in parts of the drawing's width and height.
inline constexpr std::size_t kMostCellMarks = 1000;  // more are too many steps, and too large a page
struct CellMark {
  double left = 0, right = 0, top = 0, bottom = 0;  // 0 to 1, to the right and down
  std::string words;                                // not yet escaped
};
// Cells whose left is beyond `far` have their words to the left. `hexagons`: else cells are boxes.
std::string cell_marks(const std::string& id, const std::string& title, std::span<const CellMark>, double far,
                       bool hexagons);

// HTML over the plot; `id` is unique on the page, `title` is not yet escaped. Nothing without marks.
std::string value_marks(const std::string& id, const std::string& title, std::span<const Mark>);

// A mark per point, each reaching halfway to its neighbours: positions from 0 to 1, ascending, and their words.
std::vector<Mark> marks_at(const std::vector<std::pair<double, std::string>>& points);

// At most `most` marks over `size` points: `mark_of` makes one of each stretch.
template <class MarkOf>
std::vector<Mark> marks_of(std::size_t size, std::size_t most, const MarkOf& mark_of) {
  const std::size_t count = std::min(size, most);
  std::vector<Mark> all;
  for (std::size_t i = 0; i < count; ++i) all.push_back(mark_of(stretch(i, count, size)));
  return all;
}

}  // namespace chronoveil::report
