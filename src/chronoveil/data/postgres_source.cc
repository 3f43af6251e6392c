#include <libpq-fe.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chronoveil/data/row_decoder.h"
#include "chronoveil/data/sql_source.h"

namespace chronoveil::data {
namespace {

struct Finish {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct Clear {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Rows = std::unique_ptr<PGresult, Clear>;

std::string_view state_of(const Rows& rows) {
  const char* state = rows == nullptr ? nullptr : PQresultErrorField(rows.get(), PG_DIAG_SQLSTATE);
  return state == nullptr ? std::string_view() : std::string_view(state);
}

std::string without_end(std::string query) {
  while (!query.empty() && (query.back() == ';' || query.back() == ' ' || query.back() == '\n' ||
                            query.back() == '\r' || query.back() == '\t')) {
    query.pop_back();
  }
  return query;
}

class PostgresSource final : public RecordSource {
 public:
  explicit PostgresSource(RowDecoder decoder) : decoder_(std::move(decoder)) {}

  Result<void> open(const SourceSpec& spec) {
    connection_.reset(PQconnectdb(spec.url.c_str()));
    if (!connection_ || PQstatus(connection_.get()) != CONNECTION_OK) {
      return fail(ErrorKind::storage, "cannot connect to the PostgreSQL server that the url names");
    }
    PQsetNoticeProcessor(
        connection_.get(), [](void*, const char*) {}, nullptr);
    // One state of the data for all batches; times as ISO 8601, those with a zone in UTC; real numbers with all
    // their digits; a plan for reading all rows.
    for (const char* setting :
         {"SET client_encoding = 'UTF8'", "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY",
          "SET LOCAL DateStyle = 'ISO'", "SET LOCAL TimeZone = 'UTC'", "SET LOCAL extra_float_digits = 3",
          "SET LOCAL cursor_tuple_fraction = 1"}) {
      const Rows done = run(setting);
      if (PQresultStatus(done.get()) != PGRES_COMMAND_OK) return failed(done);
    }
    const bool table = spec.query.empty();
    const std::string all = table ? "SELECT * FROM " + quoted_table(spec.table) : without_end(spec.query);
    CV_TRY(const std::vector<std::string> names, describe(all, table ? "table" : "query"));
    CV_TRY(places_, place_columns(decoder_, names, table ? "the table" : "the query's result"));
    std::string select = all;
    if (table) {  // only the columns that are wanted need to travel
      select = "SELECT ";
      for (std::size_t i = 0; i < places_.size(); ++i) {
        select += (i > 0 ? ", " : "") + quoted_identifier(names[places_[i].column]);
        places_[i].column = i;
      }
      select += " FROM " + quoted_table(spec.table);
    }
    const Rows declared = run("DECLARE chronoveil_rows NO SCROLL CURSOR FOR " + select);
    if (PQresultStatus(declared.get()) != PGRES_COMMAND_OK) {
      return state_of(declared).starts_with("42") ? fail(ErrorKind::usage, "query: it must be a SELECT")
                                                  : failed(declared);
    }
    return {};
  }

  Result<bool> next(RecordBatch& batch) override {
    RowDecoder::begin(batch, rows_ + 1);
    if (ended_) return false;
    fetched_ = run("FETCH " + std::to_string(kBatchRows) + " FROM chronoveil_rows");
    if (PQresultStatus(fetched_.get()) != PGRES_TUPLES_OK) return failed(fetched_);
    const int count = PQntuples(fetched_.get());
    ended_ = count == 0;
    for (int row = 0; row < count; ++row) {
      RowFields fields;  // views into what was fetched; NULL is empty
      for (const ColumnPlace& place : places_) {
        const int column = static_cast<int>(place.column);
        fields.*place.field = {PQgetvalue(fetched_.get(), row, column),
                               static_cast<std::size_t>(PQgetlength(fetched_.get(), row, column))};
      }
      if (!decoder_.add(fields, batch)) {
        return fail(ErrorKind::bad_data, "row " + std::to_string(rows_ + 1) + ": " + decoder_.problem());
      }
      ++rows_;
    }
    return count > 0;
  }

 private:
  // With parameters, if only none: so that the server takes one statement and no second one behind a semicolon.
  Rows run(const std::string& sql) {
    return Rows(PQexecParams(connection_.get(), sql.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0));
  }

  Result<std::vector<std::string>> describe(const std::string& sql, const std::string& parameter) {
    const Rows prepared(PQprepare(connection_.get(), "", sql.c_str(), 0, nullptr));
    if (PQresultStatus(prepared.get()) != PGRES_COMMAND_OK) {
      if (!state_of(prepared).starts_with("42")) return failed(prepared);
      // Nothing was read yet, so the words can only quote the job.
      const char* words = PQresultErrorField(prepared.get(), PG_DIAG_MESSAGE_PRIMARY);
      return fail(ErrorKind::usage, parameter + ": PostgreSQL refuses it: " + (words == nullptr ? "" : words));
    }
    const Rows described(PQdescribePrepared(connection_.get(), ""));
    if (PQresultStatus(described.get()) != PGRES_COMMAND_OK) return failed(described);
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(PQnfields(described.get())));
    for (int i = 0; i < PQnfields(described.get()); ++i) names.emplace_back(PQfname(described.get(), i));
    if (names.empty()) return fail(ErrorKind::usage, parameter + ": it must be a SELECT");
    return names;
  }

  // The server's own words may quote values, so only its code is passed on.
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
