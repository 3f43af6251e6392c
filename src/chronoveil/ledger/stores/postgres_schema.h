// The tables of a ledger in PostgreSQL, version by version, and whether a database holds them as they were made.
#pragma once

#include <string>

#include "chronoveil/ledger/stores/postgres_session.h"

namespace chronoveil::ledger {

inline constexpr int kPostgresSchemaVersion = 4;
inline constexpr int kPostgresSealsSince = 3;

// The schema of the ledger, present or future: the one on the path that has a ledger, else the first. Two ledgers are
// refused: otherwise anybody who may create a schema could put an empty ledger before the true one.
Result<std::string> ledger_schema(PostgresSession&);

// SQL that makes a version out of the one before it, in this schema (quoted); the first is made from nothing. The third
// comes in two steps: columns for the seals, and once these are filled, triggers that enforce them. The fourth enforces
// more: the time of a row, the name of a dataset, who may change only a signature.
std::string postgres_upgrade_to(int version, const std::string& schema);
std::string postgres_guards(const std::string& schema);

// Whether tables, keys, triggers and their functions are exactly those of the latest version, all enabled. An error
// names the first that is extra, missing or changed.
Result<void> check_postgres_schema(PostgresSession&, const std::string& schema, const std::string& quoted);

}  // namespace chronoveil::ledger
