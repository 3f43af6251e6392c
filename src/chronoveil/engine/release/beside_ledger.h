// Folders for what must outlast a process, beside the ledger that holds its debit: LEDGER.KIND/..., for a PostgreSQL
// ledger KIND-DIGEST/... in the user's data folder. For the owner alone.
#pragma once

#include <filesystem>
#include <string>
#include <system_error>

#include "chronoveil/base/result.h"

namespace chronoveil::engine {

// `kind`: "live", "training". One ledger has one such folder, by whatever name it is reached. A leaf that leads out of
// the folder is a usage error: a dataset may be called "..".
Result<std::filesystem::path> folder_beside(const std::string& ledger_place, const std::string& kind,
                                            const std::filesystem::path& leaf);

// A folder and those above it that are missing, mode 0700 whatever the umask.
std::error_code make_folders(const std::filesystem::path&);

// Mode 0700, with the two folders above it; names that last through a power failure. Errors begin with `kind`.
Result<void> make_private_folder(const std::string& kind, const std::filesystem::path& folder);

// One process at a time: held until it is destroyed, and by the operating system no longer than the process lives.
class FolderLock {
 public:
  // `taken`: what the error says when another process has it.
  static Result<FolderLock> take(const std::string& kind, const std::string& folder, const std::string& taken);
  FolderLock(FolderLock&&) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int file) : file_(file) {}
  int file_;
};

}  // namespace chronoveil::engine
