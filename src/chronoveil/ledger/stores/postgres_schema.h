// The tables of a ledger in PostgreSQL, version by version, and whether a database holds them as they were made.
#pragma once

#include <string>

#include "chronoveil/ledger/stores/postgres_session.h"

namespace chronoveil::ledger {

inline constexpr int kPostgresSchemaVersion = 4;
inline constexpr int kPostgresSealsSince = 3;

// Which schema the ledger lies in, or will: the one on the path that has a ledger, else the first. Refused: two of
// them, since whoever may make a schema could else put an empty ledger before the true one.
Result<std::string> ledger_schema(PostgresSession&);

// SQL that makes a version out of the one before it, in this schema (quoted); before the first is nothing. The third
// comes in two steps: columns for the seals, and once these are filled, what holds everybody to them. The fourth holds
// them to more: when a row may be dated, what a dataset may be called, who may change a signature alone.
std::string postgres_upgrade_to(int version, const std::string& schema);
std::string postgres_guards(const std::string& schema);

// Whether tables, keys, triggers and their functions are those of the latest version, each enabled and none beside. An
// error names the first that is too much, gone or changed.
Result<void> check_postgres_schema(PostgresSession&, const std::string& schema, const std::string& quoted);

}  // namespace chronoveil::ledger
