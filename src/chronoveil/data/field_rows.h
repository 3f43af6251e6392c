// A CSV, a table in memory or an Arrow stream, row by row with unparsed fields: for what moves values as they are.
//   Form      as in csv/source.h, but with a single column an empty line is a row with an empty field (refused as the
//             very first line without a header); quoted fields may hold newlines. A last line without end is a row of a
//             file; in a stream it may have been cut off, so it is an error after all complete rows
//   Memory    the window: kWindow, or twice the longest row
//   Streams   standard input and every path that is no regular file. Rows are handed out as soon as their line is
//             complete; `before_wait` is called whenever the next row needs a read that may block, so that results of
//             earlier rows can leave: never before the first row, nor for files
//   Errors    bad_data for what is not a CSV, with the row; storage for what cannot be opened or read; interrupted for
//             a signal while a stream waits; usage for a delimiter that cannot be one
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/data/csv/byte_source.h"
#include "chronoveil/data/memory/table.h"

namespace chronoveil::data {

class ArrowStream;

struct FieldRowsSpec {
  std::string path;                               // a file (plain, gzip or xz), or "-"
  std::optional<char> delimiter = std::nullopt;   // absent: as the header shows, "," without one
  bool header = true;                             // without one, columns are called by their numbers from 1
  std::shared_ptr<const Table> rows = nullptr;    // in memory, instead of a CSV,
  std::shared_ptr<ArrowStream> stream = nullptr;  // or this
};

class FieldRows {
 public:
  virtual ~FieldRows() = default;
  // Known once it is open; a stream blocks until its header (or first row) is there.
  virtual const std::vector<std::string>& columns() const = 0;
  // Before the first row: only these columns matter, so fields of others may stay empty. An error if one of them cannot
  // be read, whatever its cells are.
  virtual Result<void> use(const std::vector<std::size_t>& /*columns*/) { return {}; }
  // The fields of the next row, unquoted, valid until the next call; an empty span at the end. After an error there is
  // nothing more.
  virtual Result<std::span<const std::string_view>> next() = 0;
  virtual std::int64_t rows() const = 0;  // handed out so far
  virtual char delimiter() const { return ','; }
};

// Standard input, or a pipe: its rows come only once. A missing file is none; it is reported when it is opened.
bool is_stream(const std::string& path);

Result<std::unique_ptr<FieldRows>> open_field_rows(const FieldRowsSpec&, std::function<void()> before_wait = {});
// Whether the rows could be opened, as far as this can be told without reading a byte.
Result<void> check_field_rows(const FieldRowsSpec&);

enum class RowsFrom { file, stream };
// The same from any bytes; spec.path is ignored. `window` is for tests.
Result<std::unique_ptr<FieldRows>> read_field_rows(std::unique_ptr<ByteSource>, const FieldRowsSpec&, RowsFrom,
                                                   std::function<void()> before_wait, std::size_t window);

}  // namespace chronoveil::data
