// Long series for drawing: as many points as a screen can show, and every spike still there.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace chronoveil::report {

// The indices to draw a line through: the least and the greatest of each of `columns` equal stretches, in order, and
// both ends. All of them when there are at most 2 `columns`.
std::vector<std::size_t> thinned(std::span<const double> values, std::size_t columns);

// [from, to) of stretch `column` of `columns` over `size` values. Stretches cover everything, and none is empty while
// columns <= size.
struct Stretch {
  std::size_t from = 0, to = 0;
};
constexpr Stretch stretch(std::size_t column, std::size_t columns, std::size_t size) {
  return {column * size / columns, (column + 1) * size / columns};
}

}  // namespace chronoveil::report
