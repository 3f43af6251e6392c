#include "backend.h"

#include <sqlite3.h>

#include <utility>
#include <vector>

namespace chronoveil::ledger::testing {
namespace {

class SqlitePlace final : public Place {
 public:
  std::string where() const override { return folder_.path() + "/ledger.db"; }
  std::string entries_table() const override { return "entries"; }
  std::string seals_table() const override { return "seals"; }
  std::string seal_name() const override { return "dataset"; }

  bool sql(const std::string& statement) override {
    sqlite3* database = nullptr;
    bool done = sqlite3_open(where().c_str(), &database) == SQLITE_OK;
    if (done) done = sqlite3_exec(database, statement.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
    sqlite3_close(database);
    return done;
  }

  bool edit(const std::string& statement) override {
    sqlite3* database = nullptr;
    if (sqlite3_open(where().c_str(), &database) != SQLITE_OK) return false;
    const auto execute = [&](const std::string& sql) {
      return sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
    };
    std::vector<std::pair<std::string, std::string>> triggers;
    const auto keep = [](void* all, int, char** columns, char**) {
      static_cast<decltype(triggers)*>(all)->emplace_back(columns[0], columns[1]);
      return 0;
    };
    sqlite3_exec(database, "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'", keep, &triggers, nullptr);
    for (const auto& trigger : triggers) EXPECT_TRUE(execute("DROP TRIGGER " + trigger.first));
    const bool done = execute(statement);
    for (const auto& trigger : triggers) EXPECT_TRUE(execute(trigger.second));
    sqlite3_close(database);
    return done;
  }

  void create_version(int version) override {
    ASSERT_TRUE(
        sql("PRAGMA journal_mode = WAL; CREATE TABLE entries (dataset TEXT NOT NULL, sequence INTEGER NOT NULL, "
            "recorded_at TEXT NOT NULL, recorded_by TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, "
            "previous TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (dataset, sequence)) WITHOUT ROWID; "
            "PRAGMA application_id = 1129729095; PRAGMA user_version = 1"));
    if (version == 1) return;
    ASSERT_TRUE(
        sql("CREATE TRIGGER entries_never_change BEFORE UPDATE ON entries\n"
            "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;\n"
            "CREATE TRIGGER entries_never_go BEFORE DELETE ON entries\n"
            "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;\n"
            "CREATE TRIGGER entries_only_grow BEFORE INSERT ON entries\n"
            "WHEN NEW.sequence <> (SELECT COALESCE(MAX(sequence) + 1, 0) FROM entries WHERE dataset = NEW.dataset)\n"
            "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;\n"
            "PRAGMA user_version = 2;"));
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
  std::string seals_table() const override { return "chronoveil_datasets"; }
  std::string seal_name() const override { return "name"; }
  bool sql(const std::string& statement) override {
    return server_.sql("SET search_path = " + schema_ + "; " + statement);
  }
  bool edit(const std::string& statement) override {
    return sql(
        "ALTER TABLE chronoveil_entries DISABLE TRIGGER USER; ALTER TABLE chronoveil_datasets DISABLE TRIGGER USER; " +
        statement +
        "; DO $$ DECLARE t record; BEGIN FOR t IN SELECT tgname, tgrelid::regclass AS place FROM pg_trigger "
        "WHERE tgrelid IN ('chronoveil_entries'::regclass, 'chronoveil_datasets'::regclass) LOOP "
        "EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER %I', t.place, t.tgname); END LOOP; END $$");
  }

  void create_version(int version) override {
    ASSERT_TRUE(
        sql("CREATE TABLE chronoveil_meta (schema_version INTEGER NOT NULL); "
            "INSERT INTO chronoveil_meta VALUES (1); "
            "CREATE TABLE chronoveil_entries (dataset TEXT NOT NULL, sequence BIGINT NOT NULL, "
            "recorded_at TEXT NOT NULL, recorded_by TEXT NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL, "
            "previous TEXT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (dataset, sequence))"));
    if (version == 1) return;
    ASSERT_TRUE(
        sql("CREATE TABLE chronoveil_datasets (name TEXT PRIMARY KEY, length BIGINT NOT NULL); "
            "CREATE FUNCTION chronoveil_append_only() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$; "
            "CREATE TRIGGER entries_never_change BEFORE UPDATE OR DELETE ON chronoveil_entries "
            "FOR EACH ROW EXECUTE FUNCTION chronoveil_append_only(); "
            "CREATE TRIGGER entries_never_go BEFORE TRUNCATE ON chronoveil_entries "
            "FOR EACH STATEMENT EXECUTE FUNCTION chronoveil_append_only(); "
            "UPDATE chronoveil_meta SET schema_version = 2"));
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
