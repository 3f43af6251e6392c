#include "output/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace chronoveil::cli {

std::string figure(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : "infinite"; }

std::string counted(std::int64_t number, const char* one, const char* many) {
  return fmt::format("{} {}", number, number == 1 ? one : many);
}

std::string table_text(const std::vector<std::vector<std::string>>& rows) {
  const auto width_of = [](const std::string& text) {
    return static_cast<std::size_t>(
        std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
  };
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t i = 0; i + 1 < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) text.append(widths[i] - width_of(row[i]) + 2, ' ');
    }
    text += "\n";
  }
  return text;
}

}  // namespace chronoveil::cli
