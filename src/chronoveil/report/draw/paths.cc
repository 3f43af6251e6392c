#include "chronoveil/report/draw/paths.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include "chronoveil/report/draw/frame.h"

namespace chronoveil::report {
namespace {

class Pen {
 public:
  void move(const Point& point) { go('M', point, 0, 0); }
  void draw(const Point& point) { go('l', point, x_, y_); }
  void dot() { out_ += "h0"; }
  void close() { out_ += 'z'; }
  std::string take() { return std::move(out_); }

 private:
  void go(char command, const Point& point, int from_x, int from_y) {
    x_ = across_at(point.across), y_ = up_at(point.up);
    out_ += fmt::format("{}{} {}", command, x_ - from_x, y_ - from_y);
  }
  std::string out_;
  int x_ = 0, y_ = 0;
};

// The numbers of a path: by turns to the right and upwards, unless a command has only one of them.
std::string scaled_path(std::string_view d, double across, double up) {
  std::string out;
  bool upwards = false, follows = false;
  char command = 'M';
  for (std::size_t at = 0; at < d.size();) {
    if (std::isalpha(static_cast<unsigned char>(d[at]))) {
      command = d[at++];
      out += command;
      upwards = command == 'V' || command == 'v';
      follows = false;
    } else if (d[at] == ' ') {
      ++at;
    } else {
      double number = 0;
      const char* const end = std::from_chars(d.data() + at, d.data() + d.size(), number).ptr;
      at = std::max(at + 1, static_cast<std::size_t>(end - d.data()));
      out += fmt::format("{}{:.2f}", follows ? " " : "", number * (upwards ? up : across));
      follows = true;
      if (std::string_view("MmLl").find(command) != std::string_view::npos) upwards = !upwards;
    }
  }
  return out;
}

}  // namespace

double start_of(const SlotAxis& axis, std::size_t slot) {
  const double start = static_cast<double>(axis.boundaries.front());
  const double span = static_cast<double>(axis.boundaries.back()) - start;
  return (static_cast<double>(axis.boundaries[slot]) - start) / span;
}

double middle_of(const SlotAxis& axis, std::size_t slot) {
  return (start_of(axis, slot) + start_of(axis, slot + 1)) / 2;
}

double height_of(const Scale& scale, double value) {
  return std::isfinite(value) ? scale.position(value) : std::numeric_limits<double>::quiet_NaN();
}

std::string line_through(std::span<const Point> points) {
  Pen pen;
  bool drawing = false;
  for (const Point& point : points) {
    const bool finite = std::isfinite(point.up);
    if (finite) drawing ? pen.draw(point) : pen.move(point);
    drawing = finite;
  }
  return pen.take();
}

std::string dots_at(std::span<const Point> points) {
  Pen pen;
  for (const Point& point : points) {
    if (!std::isfinite(point.up)) continue;
    pen.move(point);
    pen.dot();
  }
  return pen.take();
}

std::string area_between(std::span<const Point> upper, std::span<const Point> lower) {
  Pen pen;
  const auto finite = [&](std::size_t i) { return std::isfinite(upper[i].up) && std::isfinite(lower[i].up); };
  for (std::size_t first = 0; first < upper.size(); ++first) {
    std::size_t end = first;
    while (end < upper.size() && finite(end)) ++end;
    if (end - first >= 2) {
      pen.move(upper[first]);
      for (std::size_t i = first + 1; i < end; ++i) pen.draw(upper[i]);
      for (std::size_t i = end; i-- > first;) pen.draw(lower[i]);
      pen.close();
    }
    first = end;
  }
  return pen.take();
}

std::string scaled_paths(std::string_view elements, double across, double up) {
  // No text has a quote in it, so this is an attribute.
  constexpr std::string_view kBegins = " d=\"";
  std::string out;
  for (std::size_t at = 0; (at = elements.find(kBegins)) != std::string_view::npos;) {
    at += kBegins.size();
    out.append(elements.substr(0, at));
    const std::string_view d = elements.substr(at, elements.find('"', at) - at);
    out += scaled_path(d, across, up);
    elements.remove_prefix(at + d.size());
  }
  return out.append(elements);
}

}  // namespace chronoveil::report
