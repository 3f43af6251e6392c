// Rows of a database as a source of records. Each has `query`, or reads the whole `table` ("trips", "main.trips").
//   Written   nothing, ever: SQLite is opened read-only, PostgreSQL reads inside a read-only transaction
//   Opening   compiles or parses the query and asks for the names of its columns. Before the first next() no expression
//             of the query is evaluated and no row is read: whatever the data, opening ends the same way
#pragma once

#include <memory>
#include <string>

#include "chronoveil/base/result.h"
#include "chronoveil/data/record_source.h"

namespace chronoveil::data {

Result<std::unique_ptr<RecordSource>> open_sqlite(const SourceSpec&);
Result<std::unique_ptr<RecordSource>> open_postgres(const SourceSpec&);

// "a""b" for a"b
std::string quoted_identifier(const std::string& name);
// main.trips -> "main"."trips"
std::string quoted_table(const std::string& table);
// Whether exactly one of `query` and `table` is given; a usage error otherwise.
Result<void> check_query_or_table(const SourceSpec&);

}  // namespace chronoveil::data
