#include "chronoveil/report/document/marked.h"

#include <string>

#include "chronoveil/report/draw/png.h"

namespace chronoveil::report {
namespace {

// A CSV says it in its last column, called mark, in every row (CsvRows, RowMover); means on a grid have the centre of
// the cell after it. Where the data have a column of that name, ours has chronoveil_ before it, as often as it takes.
bool csv_says(std::string_view start, std::string_view mark) {
  const std::size_t header_end = start.find('\n');
  if (header_end == std::string_view::npos) return false;
  std::string_view header = start.substr(0, header_end), row = start.substr(header_end + 1);
  row = row.substr(0, row.find('\n'));
  constexpr std::string_view kCentre = ",longitude,latitude";
  if (header.ends_with(kCentre)) {
    header.remove_suffix(kCentre.size());
    for (int degrees = 0; degrees < 2; ++degrees) row = row.substr(0, row.rfind(','));
  }
  std::string_view last = header.substr(header.rfind(',') + 1);
  constexpr std::string_view kOurs = "chronoveil_";
  while (last.starts_with(kOurs)) last.remove_prefix(kOurs.size());
  return last == "mark" && row.ends_with("," + std::string(mark));
}

// HTML and SVG say it in an element of their own. A text in them has no < or >, so none reads like these; in JSON and
// CSV it may.
bool markup_says(std::string_view start, std::string_view mark) {
  if (!start.starts_with('<')) return false;
  for (const std::string_view before : {"role=\"alert\">", "<span class=\"tag warn\">", "<desc>"})
    if (start.find(std::string(before).append(mark)) != std::string_view::npos) return true;
  return false;
}

// JSON and models say it in a member. A quote inside a text has a backslash there, and is doubled in a CSV.
bool json_says(std::string_view start, std::string_view mark) {
  return start.find(std::string("\"mark\":\"").append(mark)) != std::string_view::npos;
}

// A PNG says it in the description behind its header, and nowhere else: its other bytes are a picture.
bool png_says(std::string_view start, std::string_view mark) {
  return start.starts_with(kPngSignature) && start.size() > kPngFirstChunk &&
         start.substr(kPngFirstChunk).starts_with(std::string(kPngDescription).append(mark));
}

}  // namespace

bool is_marked(std::string_view start) {
  for (const std::string_view mark : {"seeded: not private", "not private: replayed"}) {
    if (csv_says(start, mark) || png_says(start, mark) || markup_says(start, mark) || json_says(start, mark))
      return true;
  }
  return false;
}

}  // namespace chronoveil::report
