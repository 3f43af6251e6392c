// A CSV (RFC 4180) as a source of records.
//   Form    a byte order mark, CRLF or LF, a last line without end, quoted fields with doubled quotes and newlines, any
//           delimiter of one byte; empty lines are skipped and are no rows
//   Refused rows with another number of fields than the header (or the first row), NUL bytes, quotes inside unquoted
//           fields, text after a closing quote, an unclosed quote, rows above kLongestRow
//   Memory  the window: kWindow, or twice the longest row
#pragma once

#include <cstddef>
#include <memory>

#include "chronoveil/base/result.h"
#include "chronoveil/data/csv/byte_source.h"
#include "chronoveil/data/csv/form.h"
#include "chronoveil/data/record_source.h"

namespace chronoveil::data {

inline constexpr std::size_t kWindow = std::size_t{256} << 10;

// Checks a source without a header, whose columns go by number, before a byte of it is read.
Result<void> check_without_header(const SourceSpec&);

// Reads the header and finds the columns. `window` is for tests.
Result<std::unique_ptr<RecordSource>> open_csv(std::unique_ptr<ByteSource> bytes, const SourceSpec&,
                                               std::size_t window = kWindow);

}  // namespace chronoveil::data
