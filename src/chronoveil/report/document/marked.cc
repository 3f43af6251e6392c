#include "chronoveil/report/document/marked.h"

#include <string>

namespace chronoveil::report {
namespace {

// A CSV says it in its last column, called mark, in every row (CsvRows, RowMover).
bool csv_says(std::string_view start, std::string_view mark) {
  const std::size_t header_end = start.find('\n');
  if (header_end == std::string_view::npos || !start.substr(0, header_end).ends_with("mark")) return false;
  const std::string_view rest = start.substr(header_end + 1);
  return rest.substr(0, rest.find('\n')).ends_with(mark);
}

}  // namespace

bool is_marked(std::string_view start) {
  for (const std::string_view mark : {"seeded: not private", "not private: replayed"}) {
    if (csv_says(start, mark)) return true;
    // In JSON a quote inside a text has a backslash, and in HTML a text has no < or >, so no text reads like these.
    for (const std::string_view before : {"\"mark\":\"", "role=\"alert\">", "<span class=\"tag warn\">"})
      if (start.find(std::string(before).append(mark)) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace chronoveil::report
