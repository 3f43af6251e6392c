// The tables of a ledger in SQLite, version by version, and whether a database holds them and nothing else.
#pragma once

#include <string>

#include "chronoveil/sqlite/connection.h"

namespace chronoveil::ledger {

inline constexpr int kSqliteApplicationId = 0x43564c47;  // "CVLG"
inline constexpr int kSqliteSchemaVersion = 3;

// SQL that makes a version (1 to kSqliteSchemaVersion) out of the one before it; the first is made from nothing.
//   1  the rows alone
//   2  the database refuses to change or remove a row
//   3  seals, which the database checks against the rows
const char* sqlite_upgrade_to(int version);

// Whether the tables, indexes, views and triggers are those of a version, word for word. An extra trigger could keep
// rows out, a view in place of a table could show other rows. Errors name what is extra, missing or changed.
Result<void> check_sqlite_schema(sqlite::Connection&, int version, const std::string& path);

}  // namespace chronoveil::ledger
