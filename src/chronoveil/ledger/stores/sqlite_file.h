// What the operating system knows about the file of a ledger in SQLite. SQLite keeps its log and its locks by the
// file's name: it takes two names of one file for two databases, which overwrite each other's pages.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>

#include "chronoveil/base/result.h"

namespace chronoveil::ledger {

// Whether there is a file at that path.
bool is_file_there(const std::string& path);

// Creates the file if it is missing, with its missing folders (mode 0700). SQLite would create it with the umask's
// mode; its log and shared memory take the mode of the file.
Result<void> make_ledger_file(const std::string& path);

// Which file a name stands for.
struct FileIdentity {
  unsigned long device = 0, file = 0;

  bool operator==(const FileIdentity&) const = default;
};

// The identity of the file, if it exists. Refused: a file with a second name (a hard link), one that is mounted by
// itself (as containers do with a single file), and one that everybody may write.
Result<FileIdentity> check_only_name(const std::string& path);

// Refuses a non-empty log beside a database that is missing or empty: SQLite would delete the log.
Result<void> check_log_has_database(const std::string& path);

// The last row of each dataset: its number and its hash.
using LastRows = std::map<std::string, std::pair<std::int64_t, std::string>>;

// What the file holds without the log beside it; empty if there is no log, or an empty one. The database with its log
// must hold these rows, too: else the log is older than the file, and would undo some of it. A file that a checkpoint
// was writing may be unreadable by itself; the rows found until then count.
LastRows last_rows_without_log(const std::string& path);

}  // namespace chronoveil::ledger
