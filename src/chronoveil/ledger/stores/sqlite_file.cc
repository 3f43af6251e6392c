#include "chronoveil/ledger/stores/sqlite_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <vector>

#include "chronoveil/ledger/stores/store.h"
#include "chronoveil/sqlite/connection.h"

namespace chronoveil::ledger {
namespace {

namespace fs = std::filesystem;

bool has_bytes(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && status.st_size > 0;
}

// The kernel's number of the mount that a path is on; 0 if the kernel does not tell.
unsigned long long mount_of(const std::string& path) {
  struct statx status {};
  if (::statx(AT_FDCWD, path.c_str(), AT_STATX_DONT_SYNC, STATX_MNT_ID, &status) != 0) return 0;
  return (status.stx_mask & STATX_MNT_ID) != 0 ? status.stx_mnt_id : 0;
}

}  // namespace

bool is_file_there(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

// SQLite would create the file with the umask's mode; its log and shared memory take the mode of the file.
Result<void> make_ledger_file(const std::string& path) {
  const auto cannot = [&](const std::string& why) {
    return fail(ErrorKind::storage, "ledger", "cannot open '" + path + "': " + why);
  };
  fs::path missing = fs::path(path).parent_path();
  std::vector<fs::path> folders;
  std::error_code error;
  for (; !missing.empty() && !fs::exists(missing, error); missing = missing.parent_path()) folders.push_back(missing);
  for (auto folder = folders.rbegin(); folder != folders.rend(); ++folder) {
    if (::mkdir(folder->c_str(), 0700) != 0 && errno != EEXIST) return cannot(std::strerror(errno));
  }
  // An existing file is not touched: closing it would drop the locks that another connection of this process holds on
  // it.
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return errno == EEXIST ? Result<void>() : cannot(std::strerror(errno));
  ::close(file);
  return {};
}

Result<FileIdentity> check_only_name(const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorKind::storage, "ledger", "'" + path + "' " + why);
  };
  const std::string real = real_place(path);
  struct stat status {};
  if (::stat(real.c_str(), &status) != 0) return refuse(std::string("cannot be found: ") + std::strerror(errno));
  const FileIdentity identity{status.st_dev, status.st_ino};
  if (!S_ISREG(status.st_mode)) return identity;  // SQLite reports it
  if (status.st_nlink > 1)
    return refuse(
        "has a second name (a hard link): debits made under one name would be lost under the other; remove all names "
        "but one, or use a symbolic link");
  if (mount_of(real) != mount_of(fs::path(real).parent_path().string()))
    return refuse(
        "is mounted as a single file, without its log: debits made here or outside the mount would be lost; mount its "
        "folder instead");
  if ((status.st_mode & S_IWOTH) != 0)
    return refuse("may be written by everybody on this machine; take that right away: chmod o-w");
  return identity;
}

Result<void> check_log_has_database(const std::string& path) {
  const std::string real = real_place(path);
  // The log is looked at first: a process that is creating a ledger writes the file before the log.
  if (!has_bytes(real + "-wal") || has_bytes(real)) return {};
  return fail(ErrorKind::storage, "ledger",
              "'" + path + "' is gone, but its log '" + real +
                  "-wal' is there; put the database back beside its log, or take the log away and "
                  "run: chronoveil budget restore BACKUP");
}

LastRows last_rows_without_log(const std::string& path) {
  LastRows rows;
  const std::string real = real_place(path);
  if (!has_bytes(real + "-wal") && !has_bytes(real + "-journal")) return rows;
  sqlite::Connection database([](std::string_view, int) { return fail(ErrorKind::storage, "ledger", "not readable"); });
  if (!database.open(sqlite::immutable_uri(real), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI)) return rows;
  const Result<sqlite::Statement> statement = database.prepare("SELECT dataset, sequence, hash FROM entries");
  if (!statement) return rows;
  sqlite::Use use(*statement);
  while (use.step() == SQLITE_ROW) {
    const std::int64_t sequence = use.integer(1);
    const auto [place, fresh] = rows.try_emplace(use.text(0), sequence, use.text(2));
    if (!fresh && place->second.first < sequence) place->second = {sequence, use.text(2)};
  }
  return rows;
}

}  // namespace chronoveil::ledger
