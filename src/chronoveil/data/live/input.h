// Rows that come in over time: from standard input, from a file that grows, from a directory where files appear.
//   Lines     CSV, one row per line: a line break inside quotes is a broken line here, so that one stray quote cannot
//             swallow what follows. The header is the first line (of each file of a directory). CRLF and a byte order
//             mark are tolerated, empty lines skipped.
//   Broken    a line that cannot be read is refused by number and reason, never quoted; reading goes on
//   Stdin     ends with the pipe, as does a named pipe; text after the last newline then counts as a line. An end
//             before the header is an end without rows
//   File      followed: plain, and lines count once their newline is there; a file that shrank or was replaced by
//             another is read from its beginning, header and numbers of rows too. Not followed: plain or compressed,
//             ends at the end of the file, like standard input, but must have a header
//   Directory files in the order of their names, each read once, whole, plain or compressed; names that begin with '.'
//             or end with .tmp or .part are ignored. Followed: waits for more; a name that sorts before one
//             already read is refused with a message, unless any order will do. The end of a file completes the steps
//             in it. A file without a header, or that cannot be decompressed, is an error that names it
//   Empty     without a header (header = false), an empty file has no rows and is no error
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "chronoveil/data/record_source.h"

namespace chronoveil::data {

struct RefusedRow {
  std::string where;   // "row 17", or in a directory "row 17 of 2026-03.csv" (counted from 1 without the header) or
                       // "2026-03.csv"
  std::string reason;  // "column count: not a whole number ...", never a value
};

// What came in since the last call. Views are valid until the next call.
struct Arrival {
  // The input begins anew, before these rows: a followed file was replaced or cut. Counts of incomplete steps come
  // again.
  bool anew = false;
  RecordBatch rows;                  // the good ones, in the order in which they came
  std::vector<std::int64_t> number;  // of each row
  std::string part;                  // the name of the file in a directory; empty otherwise
  std::vector<RefusedRow> refused;
  // After these rows, if any, the steps seen so far are complete: the end of an input, or of a file of a directory.
  bool complete = false;
};

enum class Awaited { something, nothing, end };

class LiveInput {
 public:
  virtual ~LiveInput() = default;
  // Waits until something comes and gives all that is there, up to about a mebibyte. `nothing`: everything that was
  // there is read, and nothing came in that time; a time of 0 does not wait. Errors are bad_data (no such column),
  // storage, or interrupted (by a signal), after which it may be called again.
  virtual Result<Awaited> next_within(Arrival&, std::chrono::milliseconds longest) = 0;
  // From now on only what is already there counts, until `nothing` was returned; what comes meanwhile waits. For
  // followed inputs, which are then called with a time of 0.
  virtual Result<void> hold() = 0;
  // next_within without a limit; false at the end.
  Result<bool> next(Arrival&);
};

// In which order the files of a followed directory may come.
enum class FileOrder { by_name, any };

// `follow` concerns files and directories.
Result<std::unique_ptr<LiveInput>> open_live_input(const SourceSpec&, bool follow, FileOrder = FileOrder::by_name);

}  // namespace chronoveil::data
