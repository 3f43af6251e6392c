#include "backend.h"

#include <sqlite3.h>

namespace chronoveil::ledger::testing {
namespace {

class SqlitePlace final : public Place {
 public:
  std::string where() const override { return folder_.path() + "/ledger.db"; }
  std::string entries_table() const override { return "entries"; }

  bool sql(const std::string& statement) override {
    sqlite3* database = nullptr;
    bool done = sqlite3_open(where().c_str(), &database) == SQLITE_OK;
    if (done) done = sqlite3_exec(database, statement.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
    sqlite3_close(database);
    return done;
  }

  void disarm() override {
    for (const char* trigger : {"entries_never_change", "entries_never_go", "entries_only_grow"}) {
      ASSERT_TRUE(sql("DROP TRIGGER " + std::string(trigger)));
    }
  }

  void create_version_1() override {
    ASSERT_TRUE(
        sql("PRAGMA journal_mode = WAL; CREATE TABLE entries (dataset TEXT NOT NULL, sequence INTEGER NOT NULL, "
            "recorded_at TEXT NOT NULL, recorded_by TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, "
            "previous TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (dataset, sequence)) WITHOUT ROWID; "
            "PRAGMA application_id = 1129729095; PRAGMA user_version = 1"));
  }

 private:
  TemporaryFolder folder_;
};

class PostgresPlace final : public Place {
 public:
  explicit PostgresPlace(PostgresServer& server) : server_(server) {
    static int count = 0;
    schema_ = "place_" + std::to_string(++count);
    EXPECT_TRUE(server_.sql("CREATE SCHEMA " + schema_));
  }

  std::string where() const override { return server_.url() + "&options=-csearch_path%3D" + schema_; }
  std::string entries_table() const override { return "chronoveil_entries"; }
  bool sql(const std::string& statement) override {
    return server_.sql("SET search_path = " + schema_ + "; " + statement);
  }
  void disarm() override { ASSERT_TRUE(sql("ALTER TABLE chronoveil_entries DISABLE TRIGGER ALL")); }

  void create_version_1() override {
    ASSERT_TRUE(
        sql("CREATE TABLE chronoveil_meta (schema_version INTEGER NOT NULL); "
            "INSERT INTO chronoveil_meta VALUES (1); "
            "CREATE TABLE chronoveil_entries (dataset TEXT NOT NULL, sequence BIGINT NOT NULL, "
            "recorded_at TEXT NOT NULL, recorded_by TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, "
            "previous TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (dataset, sequence))"));
  }

 private:
  PostgresServer& server_;
  std::string schema_;
};

}  // namespace

std::unique_ptr<Place> make_sqlite_place() { return std::make_unique<SqlitePlace>(); }

std::unique_ptr<Place> make_postgres_place() {
  PostgresServer* server = PostgresServer::shared();
  return server ? std::make_unique<PostgresPlace>(*server) : nullptr;
}

void OnEveryStore::SetUp() {
  place_ = GetParam() == "sqlite" ? make_sqlite_place() : make_postgres_place();
  if (!place_) GTEST_SKIP() << "no PostgreSQL server is installed below /usr/lib/postgresql";
}

}  // namespace chronoveil::ledger::testing
