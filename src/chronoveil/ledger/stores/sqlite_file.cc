#include "chronoveil/ledger/stores/sqlite_file.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

namespace chronoveil::ledger {
namespace {

namespace fs = std::filesystem;

// SQLite follows links, and names log and memory after where they lead.
std::string real_path(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(fs::absolute(path, error), error);
  return error ? path : real.string();
}

bool has_bytes(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 && status.st_size > 0;
}

// The kernel's number of the mount that a path is on; 0 where the kernel does not tell.
unsigned long long mount_of(const std::string& path) {
  struct statx status {};
  if (::statx(AT_FDCWD, path.c_str(), AT_STATX_DONT_SYNC, STATX_MNT_ID, &status) != 0) return 0;
  return (status.stx_mask & STATX_MNT_ID) != 0 ? status.stx_mnt_id : 0;
}

std::string file_uri(const std::string& path) {
  constexpr const char* kDigits = "0123456789abcdef";
  std::string uri = "file:";
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/';
    if (plain) {
      uri += c;
    } else {
      uri += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return uri;
}

}  // namespace

bool is_file_there(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

Result<FileIdentity> check_only_name(const std::string& path) {
  const auto refuse = [&](const std::string& why) { return fail(ErrorKind::storage, "ledger: '" + path + "' " + why); };
  const std::string real = real_path(path);
  struct stat status {};
  if (::stat(real.c_str(), &status) != 0) return refuse(std::string("cannot be found: ") + std::strerror(errno));
  const FileIdentity identity{status.st_dev, status.st_ino};
  if (!S_ISREG(status.st_mode)) return identity;  // SQLite says what it thinks of it
  if (status.st_nlink > 1)
    return refuse(
        "has a second name (a hard link), and debits made by one name would be lost by the other; remove "
        "all names but one, or use a symbolic link");
  if (mount_of(real) != mount_of(fs::path(real).parent_path().string()))
    return refuse(
        "is mounted as a single file, and debits made here and where it comes from would be lost; mount the "
        "folder that it lies in");
  if ((status.st_mode & S_IWOTH) != 0)
    return refuse("may be written by everybody on this machine; take that right away: chmod o-w");
  return identity;
}

Result<void> check_log_has_database(const std::string& path) {
  const std::string real = real_path(path);
  // The log is looked at first: whoever makes a ledger just now has written the file before it writes a log.
  if (!has_bytes(real + "-wal") || has_bytes(real)) return {};
  return fail(ErrorKind::storage, "ledger: '" + path + "' is gone, but its log '" + real +
                                      "-wal' is there; put the database back beside its log, or the latest backup in "
                                      "place of both");
}

LastRows last_rows_without_log(const std::string& path) {
  LastRows rows;
  const std::string real = real_path(path);
  if (!has_bytes(real + "-wal") && !has_bytes(real + "-journal")) return rows;
  sqlite3* opened = nullptr;
  const int status = sqlite3_open_v2((file_uri(real) + "?immutable=1").c_str(), &opened,
                                     SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
  const std::unique_ptr<sqlite3, int (*)(sqlite3*)> database(opened, sqlite3_close);
  sqlite3_stmt* prepared = nullptr;
  if (status != SQLITE_OK ||
      sqlite3_prepare_v2(opened, "SELECT dataset, sequence, hash FROM entries", -1, &prepared, nullptr) != SQLITE_OK)
    return rows;
  const std::unique_ptr<sqlite3_stmt, int (*)(sqlite3_stmt*)> statement(prepared, sqlite3_finalize);
  const auto text = [&](int column) {
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(prepared, column));
    return std::string(bytes == nullptr ? "" : bytes, static_cast<std::size_t>(sqlite3_column_bytes(prepared, column)));
  };
  while (sqlite3_step(prepared) == SQLITE_ROW) {
    const long long sequence = sqlite3_column_int64(prepared, 1);
    const auto [place, fresh] = rows.try_emplace(text(0), sequence, text(2));
    if (!fresh && place->second.first < sequence) place->second = {sequence, text(2)};
  }
  return rows;
}

}  // namespace chronoveil::ledger
