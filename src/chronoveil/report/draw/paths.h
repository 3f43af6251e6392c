// Lines, areas and dots as paths of SVG, in the units of a frame. A path has relative moves by whole numbers: short,
// without rounding errors that add up.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "chronoveil/base/slot_axis.h"
#include "chronoveil/report/draw/scale.h"

namespace chronoveil::report {

// 0 left or at the bottom, 1 right or at the top. A point without a finite `up` is a gap.
struct Point {
  double across = 0, up = 0;
};

// Where a slot begins, and where its middle lies, between the start of the axis and its end.
double start_of(const SlotAxis&, std::size_t slot);
double middle_of(const SlotAxis&, std::size_t slot);

// The height of a value; a gap where it is not finite.
double height_of(const Scale&, double value);

std::string line_through(std::span<const Point>);
std::string dots_at(std::span<const Point>);
// Along the upper points and back along the lower ones, as many; a gap in either ends an area, and the next point
// begins a new one; a point by itself has no area.
std::string area_between(std::span<const Point> upper, std::span<const Point> lower);

// Elements of SVG with the numbers of their paths multiplied, for programs that would stretch strokes too. Paths are as
// ours: of M, L, H, V and Z, absolute or relative.
std::string scaled_paths(std::string_view elements, double across, double up);

}  // namespace chronoveil::report
