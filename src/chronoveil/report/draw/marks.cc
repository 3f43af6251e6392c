#include "chronoveil/report/draw/marks.h"

#include <fmt/format.h>

#include "chronoveil/report/page/markup.h"

namespace chronoveil::report {

std::string value_marks(const std::string& id, const std::string& title, std::span<const Mark> marks) {
  if (marks.empty()) return "";
  std::string out =
      fmt::format("<div class=\"marks\" role=\"radiogroup\" aria-label=\"Values of {}\">", escaped(title));
  for (const Mark& mark : marks)
    out += fmt::format(
        "<label{} style=\"left:{:.2f}%;width:{:.2f}%\"><input type=\"radio\" name=\"{}\"><span>{}</span></label>",
        mark.left > 0.5 ? " class=\"far\"" : "", mark.left * 100, (mark.right - mark.left) * 100, id,
        escaped(mark.words));
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
