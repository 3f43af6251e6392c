#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chronoveil/data/row_decoder.h"
#include "chronoveil/data/sql/source.h"
#include "chronoveil/postgres/libpq.h"

namespace chronoveil::data {
namespace {

struct Finish {
  void operator()(PGconn* connection) const { pq().PQfinish(connection); }
};
struct Clear {
  void operator()(PGresult* result) const { pq().PQclear(result); }
};
using Rows = std::unique_ptr<PGresult, Clear>;

std::string_view state_of(const Rows& rows) {
  const char* state = rows == nullptr ? nullptr : pq().PQresultErrorField(rows.get(), PG_DIAG_SQLSTATE);
  return state == nullptr ? std::string_view() : std::string_view(state);
}

std::string without_end(std::string query) {
  while (!query.empty() && (query.back() == ';' || query.back() == ' ' || query.back() == '\n' ||
                            query.back() == '\r' || query.back() == '\t')) {
    query.pop_back();
  }
  return query;
}

constexpr const char* kCursor = "chronoveil_rows";
constexpr const char* kDeclaration = "chronoveil_declaration";

// Finds types whose values the server checks by a user's function, in SQL or another language that can read tables. A
// query with a constant of an array, row or range of such a type runs that function while it is only parsed:
// '{x}'::card[]. Trusted are the server's own IMMUTABLE functions, those in C, and those that a superuser installed
// with an extension. The functions of operator classes are called although no expression names them: GREATEST, and
// comparisons of arrays, rows and ranges, look up the class of the type. Operators of row constructors are not
// examined.
constexpr const char* kCheckedByFunction = R"(
WITH harmless AS (
  SELECT f.oid FROM pg_catalog.pg_proc f JOIN pg_catalog.pg_language l ON l.oid = f.prolang
  WHERE f.provolatile = 'i' AND (f.oid < 16384 OR l.lanname IN ('c', 'internal') OR (
    EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass
            AND d.objid = f.oid AND d.deptype = 'e')
    AND EXISTS (SELECT FROM pg_catalog.pg_roles o WHERE o.oid = f.proowner AND o.rolsuper)))),
called_by_class AS (
  SELECT a.amproclefttype AS type, a.amproc::oid AS function FROM pg_catalog.pg_amproc a
  JOIN pg_catalog.pg_opfamily y ON y.oid = a.amprocfamily JOIN pg_catalog.pg_am m ON m.oid = y.opfmethod
  WHERE m.amname IN ('btree', 'hash')
  UNION ALL
  SELECT a.amoplefttype, o.oprcode::oid FROM pg_catalog.pg_amop a JOIN pg_catalog.pg_operator o ON o.oid = a.amopopr
  JOIN pg_catalog.pg_am m ON m.oid = a.amopmethod WHERE m.amname IN ('btree', 'hash')
  UNION ALL
  SELECT r.rngtypid, r.rngcanonical::oid FROM pg_catalog.pg_range r)
SELECT pg_catalog.format_type(c.contypid, NULL) FROM pg_catalog.pg_constraint c
WHERE c.contypid <> 0 AND c.contype = 'c' AND (c.conbin::text ~ ':opnos ' OR EXISTS (
  SELECT FROM pg_catalog.regexp_matches(c.conbin::text, ':(?:funcid|opfuncid) ([0-9]+)', 'g') AS called
  WHERE called[1]::oid NOT IN (SELECT oid FROM harmless)))
UNION ALL
SELECT pg_catalog.format_type(k.type, NULL) FROM called_by_class k
WHERE k.function >= 16384 AND k.function NOT IN (SELECT oid FROM harmless)
LIMIT 1)";

// Before the first read the query is only parsed and described: declaring its cursor would plan it, and planning
// evaluates what it can, tables included.
class PostgresSource final : public RecordSource {
 public:
  explicit PostgresSource(RowDecoder decoder) : decoder_(std::move(decoder)) {}

  Result<void> open(const SourceSpec& spec) {
    CV_CHECK(load_libpq());
    connection_.reset(pq().PQconnectdb(spec.url.c_str()));
    if (!connection_ || pq().PQstatus(connection_.get()) != CONNECTION_OK) {
      return fail(ErrorKind::storage, "cannot connect to the PostgreSQL server that the url names");
    }
    pq().PQsetNoticeProcessor(
        connection_.get(), [](void*, const char*) {}, nullptr);
    // One state of the data for all batches; times as ISO 8601, those with a zone in UTC; real numbers with all
    // their digits; a plan for reading all rows.
    for (const char* setting :
         {"SET client_encoding = 'UTF8'", "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
          "SET LOCAL DateStyle = 'ISO'", "SET LOCAL TimeZone = 'UTC'", "SET LOCAL extra_float_digits = 3",
          "SET LOCAL cursor_tuple_fraction = 1"}) {
      const Rows done = run(setting);
      if (pq().PQresultStatus(done.get()) != PGRES_COMMAND_OK) return failed(done);
    }
    const bool table = spec.query.empty();
    const std::string all = table ? "SELECT * FROM " + quoted_table(spec.table) : without_end(spec.query);
    if (!table) CV_CHECK(check_parsing_runs_nothing());
    CV_TRY(const std::vector<std::string> names, describe(all, table ? "table" : "query"));
    if (!table) CV_CHECK(prepare_cursor(all));
    CV_TRY(places_, place_columns(decoder_, names, table ? "the table" : "the query's result"));
    if (!table) return {};
    // Only the wanted columns are fetched.
    std::string select = "SELECT ";
    for (std::size_t i = 0; i < places_.size(); ++i) {
      const std::string& name = names[places_[i].column];
      CV_CHECK(check_may_read(spec.table, name));
      select += (i > 0 ? ", " : "") + quoted_identifier(name);
      places_[i].column = i;
    }
    return prepare_cursor(select + " FROM " + quoted_table(spec.table));
  }

  Result<bool> next(RecordBatch& batch) override {
    RowDecoder::begin(batch, rows_ + 1);
    if (ended_) return false;
    if (!std::exchange(declared_, true)) CV_CHECK(declare_cursor());
    fetched_ = run("FETCH " + std::to_string(kBatchRows) + " FROM " + kCursor);
    if (pq().PQresultStatus(fetched_.get()) != PGRES_TUPLES_OK) return failed(fetched_);
    const int count = pq().PQntuples(fetched_.get());
    ended_ = count == 0;
    for (int row = 0; row < count; ++row) {
      RowFields fields = decoder_.empty_row();  // views into what was fetched; NULL is empty
      for (const ColumnPlace& place : places_) {
        const int column = static_cast<int>(place.column);
        field_at(fields, place) = {pq().PQgetvalue(fetched_.get(), row, column),
                                   static_cast<std::size_t>(pq().PQgetlength(fetched_.get(), row, column))};
      }
      if (!decoder_.add(fields, batch)) {
        return fail(ErrorKind::bad_data, "row " + std::to_string(rows_ + 1) + ": " + decoder_.problem());
      }
      ++rows_;
    }
    return count > 0;
  }

 private:
  // With (zero) parameters, so that the server refuses a second statement behind a semicolon.
  Rows run(const std::string& sql) {
    return Rows(pq().PQexecParams(connection_.get(), sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0));
  }

  // The first value of the first row; empty if there is none.
  Result<std::string> answer(const std::string& sql, const std::vector<std::string>& values) {
    std::vector<const char*> texts;
    texts.reserve(values.size());
    for (const std::string& value : values) texts.push_back(value.c_str());
    const Rows rows(pq().PQexecParams(connection_.get(), sql.c_str(), static_cast<int>(texts.size()), nullptr,
                                      texts.data(), nullptr, nullptr, 0));
    if (pq().PQresultStatus(rows.get()) != PGRES_TUPLES_OK) return failed(rows);
    return pq().PQntuples(rows.get()) == 0 ? std::string() : std::string(pq().PQgetvalue(rows.get(), 0, 0));
  }

  // This check uses the server's own names and operators, whatever path the url sets: that path is for the query, and
  // is restored.
  Result<void> check_parsing_runs_nothing() {
    for (const char* setting : {"SAVEPOINT chronoveil_path", "SET LOCAL search_path = pg_catalog, pg_temp"}) {
      const Rows done = run(setting);
      if (pq().PQresultStatus(done.get()) != PGRES_COMMAND_OK) return failed(done);
    }
    CV_TRY(const std::string type, answer(kCheckedByFunction, {}));
    const Rows back = run("ROLLBACK TO SAVEPOINT chronoveil_path");
    if (pq().PQresultStatus(back.get()) != PGRES_COMMAND_OK) return failed(back);
    if (type.empty()) return {};
    return fail(ErrorKind::usage, "query",
                "this database checks values of its type " + type +
                    " by a function, which a query could run before the debit; put the query into a "
                    "view, and name that as `source.table`");
  }

  // For a table. Types are qualified by their schema, since another schema on the path may have a type of that name.
  Result<void> check_may_read(const std::string& table, const std::string& column) {
    CV_TRY(const std::string may,
           answer("SELECT pg_catalog.has_column_privilege($1::pg_catalog.text, $2::pg_catalog.text, 'SELECT')",
                  {quoted_table(table), column}));
    if (may == "t") return {};
    return fail(ErrorKind::usage, "table", "the role of `source.url` may not read its column " + column);
  }

  // For a query, as far as its columns are columns of tables: what else it reads shows only when it runs.
  Result<void> check_may_read_columns(const Rows& described) {
    for (int i = 0; i < pq().PQnfields(described.get()); ++i) {
      if (pq().PQftable(described.get(), i) == InvalidOid || pq().PQftablecol(described.get(), i) <= 0) continue;
      CV_TRY(const std::string may,
             answer("SELECT pg_catalog.has_column_privilege($1::pg_catalog.oid, $2::pg_catalog.int2, 'SELECT')",
                    {std::to_string(pq().PQftable(described.get(), i)),
                     std::to_string(pq().PQftablecol(described.get(), i))}));
      if (may == "f")
        return fail(
            ErrorKind::usage, "query",
            std::string("the role of `source.url` may not read its column ") + pq().PQfname(described.get(), i));
    }
    return {};
  }

  Result<std::vector<std::string>> describe(const std::string& sql, const std::string& parameter) {
    const Rows prepared(pq().PQprepare(connection_.get(), "", sql.c_str(), 0, nullptr));
    if (pq().PQresultStatus(prepared.get()) != PGRES_COMMAND_OK) {
      const std::string_view state = state_of(prepared);
      if (state.starts_with("22") || state.starts_with("23"))  // constants, which are the job's
        return fail(ErrorKind::usage, parameter, "PostgreSQL refuses a value in it: SQLSTATE " + std::string(state));
      if (!state.starts_with("42")) return failed(prepared);
      // Nothing was read yet, so the message can only quote the job.
      const char* words = pq().PQresultErrorField(prepared.get(), PG_DIAG_MESSAGE_PRIMARY);
      return fail(ErrorKind::usage, parameter,
                  std::string("PostgreSQL refuses it: ") + (words == nullptr ? "" : words));
    }
    const Rows described(pq().PQdescribePrepared(connection_.get(), ""));
    if (pq().PQresultStatus(described.get()) != PGRES_COMMAND_OK) return failed(described);
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(pq().PQnfields(described.get())));
    for (int i = 0; i < pq().PQnfields(described.get()); ++i) names.emplace_back(pq().PQfname(described.get(), i));
    if (names.empty()) return fail(ErrorKind::usage, parameter, "it must be a SELECT");
    if (pq().PQnparams(described.get()) > 0)
      return fail(ErrorKind::usage, parameter, "it has parameters such as $1, for which there are no values");
    if (parameter == "query") CV_CHECK(check_may_read_columns(described));
    return names;
  }

  // Parsed only. Only a SELECT can be declared as a cursor, and INSENSITIVE only if it locks no rows: locking would
  // fail in a read-only transaction, after the debit.
  Result<void> prepare_cursor(const std::string& select) {
    const std::string sql = std::string("DECLARE ") + kCursor + " INSENSITIVE NO SCROLL CURSOR FOR " + select;
    const Rows prepared(pq().PQprepare(connection_.get(), kDeclaration, sql.c_str(), 0, nullptr));
    if (pq().PQresultStatus(prepared.get()) == PGRES_COMMAND_OK) return {};
    const std::string_view state = state_of(prepared);
    if (state.starts_with("42") || state.starts_with("0A"))
      return fail(ErrorKind::usage, "query", "it must be a SELECT without FOR UPDATE or FOR SHARE");
    return failed(prepared);
  }

  Result<void> declare_cursor() {
    const Rows declared(pq().PQexecPrepared(connection_.get(), kDeclaration, 0, nullptr, nullptr, nullptr, 0));
    if (pq().PQresultStatus(declared.get()) != PGRES_COMMAND_OK) return failed(declared);
    return {};
  }

  // The server's message may quote values, so only its code is passed on.
  Failure failed(const Rows& rows) const {
    const std::string state(state_of(rows));
    return fail(state.starts_with("22") ? ErrorKind::bad_data : ErrorKind::storage,
                "reading from PostgreSQL failed after row " + std::to_string(rows_) +
                    (state.empty() ? ": connection lost" : ": SQLSTATE " + state));
  }

  RowDecoder decoder_;
  std::unique_ptr<PGconn, Finish> connection_;
  std::vector<ColumnPlace> places_;
  Rows fetched_;  // the batch looks into it
  std::int64_t rows_ = 0;
  bool declared_ = false;  // the cursor: at the first read
  bool ended_ = false;
};

}  // namespace

Result<std::unique_ptr<RecordSource>> open_postgres(const SourceSpec& spec) {
  CV_CHECK(check_query_or_table(spec));
  CV_TRY(RowDecoder decoder, RowDecoder::make(spec));
  auto source = std::make_unique<PostgresSource>(std::move(decoder));
  CV_CHECK(source->open(spec));
  return source;
}

}  // namespace chronoveil::data
