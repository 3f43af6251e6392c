// Checks and error messages that all readers of CSV share.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/data/csv/scanner.h"
#include "chronoveil/data/row_decoder.h"

namespace chronoveil::data {

inline constexpr std::size_t kLongestRow = std::size_t{16} << 20;
inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
inline constexpr std::string_view kNoHeader = "the file is empty; a CSV has at least a header";

// Any byte but a quote, a newline or NUL; or none, where the header shows it.
Result<void> check_delimiter(std::optional<char> delimiter);

// The one of , ; tab | that stands in the header most often outside quotes; of several, the first of these; "," if
// there is none. The header is public, and nothing else is looked at.
char delimiter_in(std::string_view header);
// The header: the first line that is not empty, without its end, which may not lie inside quotes. Nothing if the text
// ends before it does.
std::optional<std::string_view> header_in(std::string_view text);
// What is known before anything is read. Without a header the first line is somebody's: it decides nothing.
inline std::optional<char> delimiter_known(std::optional<char> given, bool header) {
  return given || header ? given : std::optional(',');
}

std::string_view explain(CsvFault);
std::string explain_fields(std::size_t fields, std::size_t columns);  // "3 fields instead of 4"
std::string explain_length();                                         // "longer than 16 MiB ..."

// The columns by their numbers, where there is no header and the first row has this many fields.
Result<std::vector<ColumnPlace>> place_numbers(const RowDecoder&, std::size_t columns);

// The text between the quotes of a field, with doubled quotes made single. In place: the text only gets shorter, and
// the bytes left over become quotes, so that they do not look like further lines. Inner quotes must come in pairs.
std::string_view unescape(char* from, char* to);

}  // namespace chronoveil::data
