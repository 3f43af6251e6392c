// SQLite as every part of the program uses it: what is opened is closed, a statement is ready for its next use, and no
// error goes unseen. The opener of a database words its own errors; SQLite's messages may quote data values, so only
// the meaning of its code is passed on.
#pragma once

#include <sqlite3.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "chronoveil/base/result.h"

namespace chronoveil::sqlite {

struct Finalize {
  void operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }
};
using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

// Leaves a statement ready for its next use, whatever happened. Texts and bytes that are bound must outlive it; views
// of a column hold until the next step.
class Use {
 public:
  explicit Use(const Statement& statement) : statement_(statement.get()) {}
  ~Use() {
    sqlite3_reset(statement_);
    sqlite3_clear_bindings(statement_);
  }
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;

  void bind(int index, const std::string& text) {
    sqlite3_bind_text(statement_, index, text.data(), static_cast<int>(text.size()), SQLITE_STATIC);
  }
  void bind(int index, std::span<const unsigned char> bytes) {
    sqlite3_bind_blob(statement_, index, bytes.data(), static_cast<int>(bytes.size()), SQLITE_STATIC);
  }
  void bind(int index, std::int64_t number) { sqlite3_bind_int64(statement_, index, number); }
  int step() { return sqlite3_step(statement_); }
  bool has(int column, int type) const { return sqlite3_column_type(statement_, column) == type; }
  std::int64_t integer(int column) const { return sqlite3_column_int64(statement_, column); }
  std::string text(int column) const;  // NULL is empty
  std::span<const unsigned char> blob(int column) const;

 private:
  sqlite3_stmt* statement_;
};

// The name of a file for SQLITE_OPEN_URI. The file is then neither locked nor created, and its log is ignored.
std::string immutable_uri(const std::string& path);

class Connection {
 public:
  // Words an error: `doing` is "open", "read" or "write", or what the caller named; the code is SQLite's extended one.
  using Report = std::function<Failure(std::string_view doing, int code)>;
  explicit Connection(Report report) : report_(std::move(report)) {}

  // With extended codes. Flags are those of sqlite3_open_v2.
  Result<void> open(const std::string& path, int flags);
  sqlite3* get() const { return database_.get(); }
  // An error of the last call.
  Failure failure(std::string_view doing) const;

  Result<void> execute(const char* sql, std::string_view doing = "write");
  // Errors say "read".
  Result<Statement> prepare(const char* sql);
  // The first column of the one row of a query.
  Result<std::int64_t> number(const char* sql);
  Result<std::string> text(const char* sql, std::string_view doing = "read");
  // A statement without rows.
  Result<void> run(const Statement&);
  // From now on a lock that another process holds is waited for, until somebody interrupts.
  void wait_while_busy(std::chrono::milliseconds patience);
  // Whether the database keeps a write-ahead log from now on. While others use the database, SQLite answers at once
  // that it is busy, whatever the busy timeout: the change is tried again while `patience` lasts.
  Result<bool> enter_write_ahead_log(std::chrono::milliseconds patience);
  // A failed statement may have rolled back by itself already.
  void roll_back_if_open();

 private:
  struct Close {
    void operator()(sqlite3* database) const { sqlite3_close_v2(database); }
  };
  Report report_;
  std::unique_ptr<sqlite3, Close> database_;
};

}  // namespace chronoveil::sqlite
