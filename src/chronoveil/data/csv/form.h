// Checks and error messages that all readers of CSV share.
#pragma once

#include <cstddef>
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

// Any byte but a quote, a newline or NUL.
Result<void> check_delimiter(char delimiter);

std::string_view explain(CsvFault);
std::string explain_fields(std::size_t fields, std::size_t columns);  // "3 fields instead of 4"
std::string explain_length();                                         // "longer than 16 MiB ..."

// The columns by their numbers, where there is no header and the first row has this many fields.
Result<std::vector<ColumnPlace>> place_numbers(const RowDecoder&, std::size_t columns);

// The text between the quotes of a field, with doubled quotes made single. In place: the text only gets shorter, and
// the bytes left over become quotes, so that they do not look like further lines. Inner quotes must come in pairs.
std::string_view unescape(char* from, char* to);

}  // namespace chronoveil::data
