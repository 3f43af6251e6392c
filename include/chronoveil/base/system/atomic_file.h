// Files that appear whole or not at all: written without a name (or beside the target if the file system, or a missing
// /proc, allows nothing else), synchronised, then renamed over it.
//   Each whole   no file is ever seen in part, whatever happens
//   In order     every file is complete on the disk before the first gets its name, so an error in one leaves none.
//                Names are given in the order of the list. A kill in between leaves only the first ones: if the last
//                file is there, all are
//   Interrupts   SIGINT and SIGTERM wait while names are given; before that, there is nothing to leave behind
//   Kills        may leave .NAME.chronoveil-tmp beside NAME, where a file is replaced; writing NAME again removes it
//   Links        a symbolic link that leads nowhere is refused
//   Not files    "-" is standard output; a device or a pipe is written to in place; a symbolic link keeps its name and
//                its target is replaced
//   Databases    a SQLite database is never replaced: it may be a ledger, and a lost debit would cost privacy
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil {

struct OutputFile {
  std::string path;  // "-" is standard output
  std::string text;
  int mode = 0644;  // less what the umask takes
  // Whether an existing file may be replaced. If not, an existing file is an error and stays unchanged.
  bool replaces = true;
};

// Whether a file can be written there, tested by making one without a name in its folder. An error is of kind storage
// and names `what` and the path.
Result<void> check_writable(std::string_view what, const std::string& path);

// Makes the names in a folder last through a power failure. An error is of kind storage and names `what`.
Result<void> synchronise_folder(std::string_view what, const std::string& folder);

// Standard output, devices and pipes come last.
Result<void> write_files(const std::vector<OutputFile>&);

// Writes the whole text to what may be slow: a pipe, a terminal. Goes on after a signal, and waits while the descriptor
// is full, even if it is non-blocking: standard output is shared with other processes, any of which may have set that.
// 0, or the number of the error.
int write_all(int descriptor, std::string_view text);

}  // namespace chronoveil
