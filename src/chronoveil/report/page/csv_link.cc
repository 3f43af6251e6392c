#include "chronoveil/report/page/csv_link.h"

#include <fmt/format.h>

#include <filesystem>

#include "chronoveil/report/page/markup.h"

namespace chronoveil::report {

std::string csv_note(const std::string& csv) {
  if (csv.empty()) return "";
  return fmt::format("<p class=\"quiet\">All numbers are in <a href=\"{}\">{}</a>.</p>\n", escaped(url_of(csv)),
                     escaped(csv));
}

std::string csv_beside(const std::string& csv, const std::string& report) {
  if (csv.empty() || csv == "-" || report == "-") return "";
  std::error_code ignored;
  const auto folder = [&](const std::string& path) {
    return std::filesystem::absolute(path, ignored).lexically_normal().parent_path();
  };
  return folder(csv) == folder(report) ? std::filesystem::path(csv).filename().string() : "";
}

}  // namespace chronoveil::report
