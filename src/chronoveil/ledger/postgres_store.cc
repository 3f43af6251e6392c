#include "chronoveil/ledger/postgres_store.h"

#include <libpq-fe.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace chronoveil::ledger {
namespace {

constexpr int kSchemaVersion = 2;
constexpr int kMostAttempts = 500;
constexpr const char* kMeta =
    "CREATE TABLE chronoveil_meta (schema_version INTEGER NOT NULL);"
    "INSERT INTO chronoveil_meta VALUES (1);";

// Version 1 had the rows alone. Version 2 adds the row that writers of a dataset lock, and makes the database itself
// refuse to change or remove a row.
constexpr const char* kCreateRows = R"(
CREATE TABLE chronoveil_entries (
  dataset TEXT NOT NULL,
  sequence BIGINT NOT NULL,
  recorded_at TEXT NOT NULL,
  recorded_by TEXT NOT NULL,
  kind TEXT NOT NULL,
  body TEXT NOT NULL,
  previous TEXT NOT NULL,
  hash TEXT NOT NULL,
  PRIMARY KEY (dataset, sequence)
);
)";

constexpr const char* kFromVersion1 = R"(
CREATE TABLE chronoveil_datasets (name TEXT PRIMARY KEY, length BIGINT NOT NULL);
INSERT INTO chronoveil_datasets SELECT dataset, COUNT(*) FROM chronoveil_entries GROUP BY dataset;
CREATE FUNCTION chronoveil_append_only() RETURNS trigger LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$;
CREATE TRIGGER entries_never_change BEFORE UPDATE OR DELETE ON chronoveil_entries
  FOR EACH ROW EXECUTE FUNCTION chronoveil_append_only();
CREATE TRIGGER entries_never_go BEFORE TRUNCATE ON chronoveil_entries
  FOR EACH STATEMENT EXECUTE FUNCTION chronoveil_append_only();
UPDATE chronoveil_meta SET schema_version = 2;
)";

struct Finish {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
struct Clear {
  void operator()(PGresult* result) const { PQclear(result); }
};
using Rows = std::unique_ptr<PGresult, Clear>;

std::string text_at(const Rows& rows, int row, int column) {
  return {PQgetvalue(rows.get(), row, column), static_cast<std::size_t>(PQgetlength(rows.get(), row, column))};
}

class PostgresStore final : public Store {
 public:
  static Result<std::unique_ptr<Store>> open(const std::string& url) {
    auto store = std::unique_ptr<PostgresStore>(new PostgresStore());
    store->connection_.reset(PQconnectdb(url.c_str()));
    if (!store->connection_ || PQstatus(store->connection_.get()) != CONNECTION_OK) {
      return fail(ErrorKind::storage, "ledger: cannot connect to the PostgreSQL server that the URL names");
    }
    PQsetNoticeProcessor(
        store->connection_.get(), [](void*, const char*) {}, nullptr);
    // Durability is the server's business unless it was told otherwise; ask for it on our own connection.
    CV_CHECK(store->command("SET synchronous_commit = on"));
    CV_CHECK(store->command("SET default_transaction_isolation = 'serializable'"));
    CV_CHECK(store->command("SET client_encoding = 'UTF8'"));
    CV_CHECK(store->prepare_schema());
    return std::unique_ptr<Store>(std::move(store));
  }

  std::string_view kind() const override { return "postgresql"; }

  Result<std::vector<std::string>> datasets() override {
    CV_TRY(const Rows rows,
           query("SELECT DISTINCT dataset COLLATE \"C\" AS name FROM chronoveil_entries ORDER BY name", {}));
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(PQntuples(rows.get())));
    for (int row = 0; row < PQntuples(rows.get()); ++row) names.push_back(text_at(rows, row, 0));
    return names;
  }

  Result<std::vector<Entry>> entries(const std::string& dataset, std::int64_t from) override {
    CV_TRY(const Rows rows, query("SELECT sequence, recorded_at, recorded_by, kind, body, previous, hash "
                                  "FROM chronoveil_entries WHERE dataset = $1 AND sequence >= $2 ORDER BY sequence",
                                  {dataset, std::to_string(from)}));
    std::vector<Entry> result;
    result.reserve(static_cast<std::size_t>(PQntuples(rows.get())));
    for (int row = 0; row < PQntuples(rows.get()); ++row) {
      result.push_back({dataset, std::strtoll(PQgetvalue(rows.get(), row, 0), nullptr, 10), text_at(rows, row, 1),
                        text_at(rows, row, 2), text_at(rows, row, 3), text_at(rows, row, 4), text_at(rows, row, 5),
                        text_at(rows, row, 6)});
    }
    return result;
  }

  Result<void> append(const std::string& dataset, const Writer& writer) override {
    return transaction([&] { return append_inside(dataset, writer); });
  }

 private:
  PostgresStore() = default;

  // The server's own words may quote values, so only its code is passed on.
  Failure failure(const PGresult* result) {
    const char* state = result == nullptr ? nullptr : PQresultErrorField(result, PG_DIAG_SQLSTATE);
    last_state_ = state == nullptr ? "" : state;
    const bool raised = last_state_ == "P0001";
    return fail(ErrorKind::storage,
                "ledger: the PostgreSQL server failed" +
                    (last_state_.empty() ? std::string(" (connection lost)") : " (SQLSTATE " + last_state_ + ")") +
                    (raised ? ": the ledger is append-only" : ""));
  }

  Result<void> command(const char* sql) {
    const Rows result(PQexec(connection_.get(), sql));
    if (PQresultStatus(result.get()) != PGRES_COMMAND_OK) return failure(result.get());
    return {};
  }

  Result<Rows> query(const char* sql, const std::vector<std::string>& parameters) {
    std::vector<const char*> values;
    values.reserve(parameters.size());
    for (const std::string& parameter : parameters) values.push_back(parameter.c_str());
    Rows result(PQexecParams(connection_.get(), sql, static_cast<int>(values.size()), nullptr, values.data(), nullptr,
                             nullptr, 0));
    const ExecStatusType status = PQresultStatus(result.get());
    if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) return failure(result.get());
    return result;
  }

  // Serialisation failure, deadlock, and what two who create the same thing at once can see: a key, a table or a
  // function that is there already.
  bool should_retry() const {
    constexpr std::array<std::string_view, 6> kPassing = {"40001", "40P01", "23505", "42P07", "42710", "42723"};
    return std::find(kPassing.begin(), kPassing.end(), last_state_) != kPassing.end();
  }

  template <class Body>
  Result<void> transaction(const Body& body) {
    for (int attempt = 1;; ++attempt) {
      last_state_.clear();
      Result<void> done = command("BEGIN ISOLATION LEVEL SERIALIZABLE");
      if (done) done = body();
      if (done) done = command("COMMIT");
      if (done) return {};
      const bool retry = should_retry();
      if (PQtransactionStatus(connection_.get()) != PQTRANS_IDLE) PQclear(PQexec(connection_.get(), "ROLLBACK"));
      if (!retry || attempt == kMostAttempts) return done;
      const std::uint32_t spread = 2u << static_cast<unsigned>(std::min(attempt, 5));
      std::this_thread::sleep_for(std::chrono::milliseconds(1 + randombytes_uniform(spread)));
    }
  }

  Result<void> append_inside(const std::string& dataset, const Writer& writer) {
    CV_CHECK(query("INSERT INTO chronoveil_datasets VALUES ($1, 0) ON CONFLICT DO NOTHING", {dataset}));
    // The row is changed below, not only locked, so that a writer who waited here has to start again and sees every
    // row.
    CV_CHECK(query("SELECT length FROM chronoveil_datasets WHERE name = $1 FOR UPDATE", {dataset}));
    CV_TRY(const std::vector<Entry> rows, writer([&](std::int64_t from) { return entries(dataset, from); }));
    for (const Entry& row : rows) {
      CV_CHECK(query("INSERT INTO chronoveil_entries VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
                     {dataset, std::to_string(row.sequence), row.recorded_at, row.recorded_by, row.kind, row.body,
                      row.previous, row.hash}));
    }
    CV_CHECK(query("UPDATE chronoveil_datasets SET length = length + $2 WHERE name = $1",
                   {dataset, std::to_string(rows.size())}));
    return {};
  }

  // Whoever comes first creates or upgrades; the others collide with it, start again and find it done.
  Result<void> prepare_schema() {
    CV_TRY(const int version, schema_version());
    if (version == kSchemaVersion) return {};
    return transaction([&] { return upgrade(); });
  }

  // 0 when there is no ledger yet.
  Result<int> schema_version() {
    CV_TRY(const Rows table, query("SELECT to_regclass('chronoveil_meta') IS NOT NULL", {}));
    if (text_at(table, 0, 0) != "t") return 0;
    CV_TRY(const Rows rows, query("SELECT schema_version FROM chronoveil_meta", {}));
    return PQntuples(rows.get()) == 1 ? std::atoi(PQgetvalue(rows.get(), 0, 0)) : 0;
  }

  Result<void> upgrade() {
    CV_TRY(const int version, schema_version());
    if (version > kSchemaVersion) {
      return fail(ErrorKind::storage, "ledger: the PostgreSQL ledger was written by a newer release (schema " +
                                          std::to_string(version) + "; this one knows up to " +
                                          std::to_string(kSchemaVersion) + ")");
    }
    if (version == 0) {
      CV_CHECK(command(kMeta));
      CV_CHECK(command(kCreateRows));
    }
    if (version < 2) CV_CHECK(command(kFromVersion1));  // a version found up to date by now needs nothing
    return {};
  }

  std::unique_ptr<PGconn, Finish> connection_;
  std::string last_state_;
};

}  // namespace

Result<std::unique_ptr<Store>> open_postgres_store(const std::string& url) { return PostgresStore::open(url); }

}  // namespace chronoveil::ledger
