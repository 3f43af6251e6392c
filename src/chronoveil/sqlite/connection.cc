#include "chronoveil/sqlite/connection.h"

#include <algorithm>
#include <thread>

#include "chronoveil/base/interrupted.h"

namespace chronoveil::sqlite {
namespace {

// Before the next try: 1 ms, 2 ms, ... up to 50 ms; 0 ends the waiting. sqlite3_busy_timeout() cannot be interrupted.
int wait_a_little(void* patience, int tries) {
  constexpr std::int64_t kLongest = 50;
  const std::int64_t rising = std::min<std::int64_t>(tries, kLongest);
  const std::int64_t waited = rising * (rising + 1) / 2 + (tries - rising) * kLongest;
  if (interrupted() || waited >= reinterpret_cast<std::int64_t>(patience)) return 0;
  std::this_thread::sleep_for(std::chrono::milliseconds(std::min<std::int64_t>(tries + 1, kLongest)));
  return 1;
}

}  // namespace

std::string Use::text(int column) const {
  const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  return bytes == nullptr ? std::string()
                          : std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column)));
}

std::span<const unsigned char> Use::blob(int column) const {
  const auto* bytes = static_cast<const unsigned char*>(sqlite3_column_blob(statement_, column));
  return {bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_, column))};
}

std::string immutable_uri(const std::string& path) {
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
  return uri + "?immutable=1";
}

Result<void> Connection::open(const std::string& path, int flags) {
  sqlite3* database = nullptr;
  const int status = sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
  database_.reset(database);
  if (status != SQLITE_OK) return failure("open");
  sqlite3_extended_result_codes(database, 1);
  return {};
}

Failure Connection::failure(std::string_view doing) const {
  const int code = database_ ? sqlite3_extended_errcode(database_.get()) : SQLITE_NOMEM;
  if ((code & 0xff) == SQLITE_BUSY && interrupted())
    return fail(ErrorKind::interrupted, "interrupted while another process held the database");
  return report_(doing, code);
}

void Connection::wait_while_busy(std::chrono::milliseconds patience) {
  sqlite3_busy_handler(database_.get(), wait_a_little, reinterpret_cast<void*>(patience.count()));
}

Result<void> Connection::execute(const char* sql, std::string_view doing) {
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) return failure(doing);
  return {};
}

Result<Statement> Connection::prepare(const char* sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v3(database_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr) != SQLITE_OK) {
    return failure("read");
  }
  return Statement(statement);
}

Result<std::int64_t> Connection::number(const char* sql) {
  CV_TRY(const Statement statement, prepare(sql));
  Use use(statement);
  if (use.step() != SQLITE_ROW) return failure("read");
  return use.integer(0);
}

Result<std::string> Connection::text(const char* sql, std::string_view doing) {
  CV_TRY(const Statement statement, prepare(sql));
  Use use(statement);
  if (use.step() != SQLITE_ROW) return failure(doing);
  return use.text(0);
}

Result<void> Connection::run(const Statement& statement) {
  Use use(statement);
  if (use.step() != SQLITE_DONE) return failure("write");
  return {};
}

Result<bool> Connection::enter_write_ahead_log(std::chrono::milliseconds patience) {
  const auto until = std::chrono::steady_clock::now() + patience;
  while (true) {
    CV_TRY(const Statement statement, prepare("PRAGMA journal_mode = WAL"));
    Use use(statement);
    const int status = use.step();
    if (status == SQLITE_ROW) return use.text(0) == "wal";
    if ((status & 0xff) != SQLITE_BUSY || std::chrono::steady_clock::now() >= until || interrupted())
      return failure("open");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

void Connection::roll_back_if_open() {
  if (sqlite3_get_autocommit(database_.get()) == 0)
    sqlite3_exec(database_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
}

}  // namespace chronoveil::sqlite
