#include "chronoveil/base/place_grid.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "chronoveil/base/place_degrees.h"

namespace chronoveil {
namespace {

constexpr double kLeastSize = 1, kLargestSize = 1e6, kLeastBox = 1;  // metres
constexpr double kSliver = 1e-9;                                     // of the size: rounding, no place

Result<void> check_box(const PlaceGridSpec& spec) {
  for (const auto& [name, value] : {std::pair{"west", spec.west}, std::pair{"east", spec.east}}) {
    if (!(std::abs(value) <= 180)) return invalid(name, value, "it must be a longitude from -180 to 180 degrees");
  }
  for (const auto& [name, value] : {std::pair{"south", spec.south}, std::pair{"north", spec.north}}) {
    if (!(std::abs(value) <= 85)) return invalid(name, value, "it must be a latitude from -85 to 85 degrees");
  }
  if (!(spec.west < spec.east)) {
    return invalid(
        "east", spec.east,
        "it must lie east of west, which is " + shortest(spec.west) + " (a box cannot lie across the antimeridian)");
  }
  if (!(spec.south < spec.north)) {
    return invalid("north", spec.north, "it must lie north of south, which is " + shortest(spec.south));
  }
  return {};
}

Failure too_many(double size) {
  return invalid("size", size,
                 "it must be larger, or the box smaller: there may be at most " +
                     std::to_string(PlaceGrid::kMostPlaces) + " places");
}

// The whole part of the number, clamped to [0, most]. Without std::floor, which would be a call per record.
std::int64_t clamped_floor(double number, std::int64_t most) {
  return static_cast<std::int64_t>(std::clamp(number, 0.0, static_cast<double>(most)));
}

}  // namespace

Result<PlaceGrid> PlaceGrid::make(const PlaceGridSpec& spec) {
  CV_CHECK(check_box(spec));
  if (!(spec.size >= kLeastSize && spec.size <= kLargestSize)) {
    return invalid("size", spec.size, "it must be from 1 to 1000000 metres");
  }
  PlaceGrid grid;
  grid.spec_ = spec;
  grid.longitude_ = spec.west + (spec.east - spec.west) / 2;
  grid.latitude_ = spec.south + (spec.north - spec.south) / 2;
  grid.metres_a_degree_north_ = kMetresADegree;
  grid.metres_a_degree_east_ = kMetresADegree * std::cos(grid.latitude_ * std::numbers::pi / 180);
  grid.half_width_ = grid.metres_a_degree_east_ * (spec.east - spec.west) / 2;
  grid.half_height_ = grid.metres_a_degree_north_ * (spec.north - spec.south) / 2;
  if (2 * grid.half_width_ < kLeastBox)
    return invalid("east", spec.east, "it must leave the box at least 1 metre wide");
  if (2 * grid.half_height_ < kLeastBox)
    return invalid("north", spec.north, "it must leave the box at least 1 metre high");
  CV_CHECK(spec.shape == PlaceShape::square ? grid.lay_squares() : grid.lay_hexagons());
  grid.name_places();
  return grid;
}

Result<void> PlaceGrid::lay_squares() {
  const double size = spec_.size;
  row_height_ = size;
  const double columns = std::max(1.0, std::ceil(2 * half_width_ / size - kSliver));
  const double rows = std::max(1.0, std::ceil(2 * half_height_ / size - kSliver));
  if (columns * rows > static_cast<double>(kMostPlaces)) return too_many(size);
  for (std::int64_t row = 0; row < static_cast<std::int64_t>(rows); ++row) {
    const double y = half_height_ - (static_cast<double>(row) + 0.5) * size;
    CV_CHECK(add_row(y, size / 2 - half_width_, static_cast<std::int64_t>(columns)));
  }
  return {};
}

// A hexagon and the box have points in common unless one of the directions of their sides separates them. With the
// middle of the hexagon at (x, y) that leaves three conditions, written here by half the width and height of the box:
//   |y| < h + size/√3,   |x| < w + size/2,   |x| < w + size − √3 (|y| − h)
Result<void> PlaceGrid::lay_hexagons() {
  const double size = spec_.size;
  const double sliver = kSliver * size;
  row_height_ = size * std::numbers::sqrt3 / 2;
  const double top = std::floor((half_height_ + size * std::numbers::inv_sqrt3 - sliver) / row_height_);
  if (2 * top > static_cast<double>(kMostPlaces)) return too_many(size);
  for (auto row = static_cast<std::int64_t>(top); row >= -static_cast<std::int64_t>(top); --row) {
    const double y = static_cast<double>(row) * row_height_;
    const double reach = half_width_ + std::min(size / 2, size - std::numbers::sqrt3 * (std::abs(y) - half_height_));
    const double shift = row % 2 == 0 ? 0 : 0.5;
    const double last = std::floor((reach - sliver) / size - shift);  // the first is equally far to the west
    const double columns = 2 * (last + shift) + 1;
    if (columns < 1) continue;  // a row above or below the box that would have its places beside it
    if (columns > static_cast<double>(kMostPlaces)) return too_many(size);
    CV_CHECK(add_row(y, -(last + shift) * size, static_cast<std::int64_t>(columns)));
  }
  return {};
}

Result<void> PlaceGrid::add_row(double y, double x, std::int64_t columns) {
  const std::int64_t number = rows_.empty() ? 0 : rows_.back().number + rows_.back().columns;
  if (number + columns > kMostPlaces) return too_many(spec_.size);
  rows_.push_back({y, x, columns, number});
  return {};
}

void PlaceGrid::name_places() {
  double west = rows_.front().x;
  for (const Row& row : rows_) west = std::min(west, row.x);
  names_.reserve(static_cast<std::size_t>(rows_.back().number + rows_.back().columns));
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    // Whole columns, and a half in shifted rows: a quarter keeps rounding away from the next one.
    const auto before = static_cast<std::int64_t>(std::floor((rows_[r].x - west) / spec_.size + 0.25));
    const std::string row_name = "r" + std::to_string(r + 1) + "c";
    for (std::int64_t c = 0; c < rows_[r].columns; ++c) names_.push_back(row_name + std::to_string(before + c + 1));
  }
}

std::int64_t PlaceGrid::nearest_in(const Row& row, double x) const {
  return clamped_floor((x - row.x) / spec_.size + 0.5, row.columns - 1);
}

std::int64_t PlaceGrid::place_of(double longitude, double latitude) const {
  const bool inside = longitude >= spec_.west && longitude <= spec_.east && latitude >= spec_.south &&
                      latitude <= spec_.north;  // false for NaN
  if (!inside) return kNowhere;
  const double x = metres_a_degree_east_ * (longitude - longitude_);
  const double y = metres_a_degree_north_ * (latitude - latitude_);
  const double rows_down = (rows_.front().y - y) / row_height_;
  const auto last = static_cast<std::int64_t>(rows_.size()) - 1;
  if (spec_.shape == PlaceShape::square) {
    const Row& row = rows_[static_cast<std::size_t>(clamped_floor(rows_down + 0.5, last))];
    return row.number + nearest_in(row, x);
  }
  // A hexagon reaches less than a row's height up and down, so it is in the row above the point or in that below.
  const std::int64_t above = clamped_floor(rows_down, last);
  const Row& upper = rows_[static_cast<std::size_t>(above)];
  const Row& lower = rows_[static_cast<std::size_t>(std::min(above + 1, last))];
  const std::int64_t in_upper = nearest_in(upper, x), in_lower = nearest_in(lower, x);
  const auto square_of_distance = [&](const Row& row, std::int64_t column) {
    const double dx = x - (row.x + static_cast<double>(column) * spec_.size), dy = y - row.y;
    return dx * dx + dy * dy;
  };
  const bool is_upper = square_of_distance(upper, in_upper) <= square_of_distance(lower, in_lower);
  return is_upper ? upper.number + in_upper : lower.number + in_lower;
}

PlaceGrid::Point PlaceGrid::middle_of(std::int64_t place) const {
  const auto after = std::upper_bound(rows_.begin(), rows_.end(), place,
                                      [](std::int64_t number, const Row& row) { return number < row.number; });
  const Row& row = *(after - 1);
  return {row.x + static_cast<double>(place - row.number) * spec_.size, row.y};
}

std::vector<PlaceGrid::Point> PlaceGrid::corners_of(std::int64_t place) const {
  const auto [x, y] = middle_of(place);
  const double half = spec_.size / 2;
  if (spec_.shape == PlaceShape::square) {
    return {{x - half, y + half}, {x + half, y + half}, {x + half, y - half}, {x - half, y - half}};
  }
  const double tip = spec_.size * std::numbers::inv_sqrt3;
  return {{x, y + tip}, {x + half, y + tip / 2}, {x + half, y - tip / 2},
          {x, y - tip}, {x - half, y - tip / 2}, {x - half, y + tip / 2}};
}

}  // namespace chronoveil
