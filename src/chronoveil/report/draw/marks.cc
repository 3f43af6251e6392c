#include "chronoveil/report/draw/marks.h"

#include <fmt/format.h>

#include "chronoveil/report/page/markup.h"

namespace chronoveil::report {

namespace {

std::string group_of(std::string_view css, const std::string& title) {
  return fmt::format("<div class=\"{}\" role=\"radiogroup\" aria-label=\"Values of {}\">", css, escaped(title));
}

std::string label_of(bool far, const std::string& style, const std::string& id, const std::string& words) {
  return fmt::format("<label{} style=\"{}\"><input type=\"radio\" name=\"{}\"><span>{}</span></label>",
                     far ? " class=\"far\"" : "", style, id, escaped(words));
}

}  // namespace

std::string value_marks(const std::string& id, const std::string& title, std::span<const Mark> marks) {
  if (marks.empty()) return "";
  std::string out = group_of("marks", title);
  for (const Mark& mark : marks)
    out += label_of(mark.left > 0.5,
                    fmt::format("left:{:.2f}%;width:{:.2f}%", mark.left * 100, (mark.right - mark.left) * 100), id,
                    mark.words);
  return out + "</div>";
}

std::string cell_marks(const std::string& id, const std::string& title, std::span<const CellMark> marks, double far,
                       bool hexagons) {
  if (marks.empty()) return "";
  std::string out = group_of(hexagons ? "marks of-cells hexagons" : "marks of-cells", title);
  for (const CellMark& mark : marks)
    out += label_of(mark.left > far,
                    fmt::format("left:{:.2f}%;width:{:.2f}%;top:{:.2f}%;height:{:.2f}%", mark.left * 100,
                                (mark.right - mark.left) * 100, mark.top * 100, (mark.bottom - mark.top) * 100),
                    id, mark.words);
  return out + "</div>";
}

std::vector<Mark> marks_at(const std::vector<std::pair<double, std::string>>& points) {
  std::vector<Mark> all;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double left = i == 0 ? 0 : (points[i - 1].first + points[i].first) / 2;
    const double right = i + 1 == points.size() ? 1 : (points[i].first + points[i + 1].first) / 2;
    all.push_back({left, right, points[i].second});
  }
  return all;
}

}  // namespace chronoveil::report
