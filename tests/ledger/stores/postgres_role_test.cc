// What a role that may only add rows, as docs/ledger.md grants it, can do, and what a server cannot do to us.
#include <gmock/gmock.h>
#include <libpq-fe.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

#include "backend.h"
#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string replaced(std::string text, const std::string& old, const std::string& by) {
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + by.size()))
    text.replace(at, old.size(), by);
  return text;
}

// The SQL that the documentation gives, which is what is tested.
std::string documented_grants() {
  std::ifstream file(std::string(CHRONOVEIL_DOCS) + "/ledger.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t from = text.find("```sql\n");
  return text.substr(from + 7, text.find("```", from + 7) - from - 7);
}

class Connection {
 public:
  explicit Connection(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
    PQsetNoticeProcessor(
        connection_, [](void*, const char*) {}, nullptr);
  }
  ~Connection() { PQfinish(connection_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool sql(const std::string& statements) {
    PGresult* result = PQexec(connection_, statements.c_str());
    const ExecStatusType status = PQresultStatus(result);
    PQclear(result);
    return status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
  }

 private:
  PGconn* connection_;
};

class PostgresRole : public OnEveryStore {
 protected:
  void SetUp() override {
    OnEveryStore::SetUp();
    if (!place_) return;
    static int count = 0;
    role_ = "writer_" + std::to_string(++count);
    const std::string where = place_->where();
    schema_ = where.substr(where.rfind("%3D") + 3);
    as_role_ = replaced(where, "user=chronoveil", "user=" + role_);
    ASSERT_TRUE(value_of(Ledger::open(where)).create(dataset("city", 1)));
    const std::string grants = replaced(replaced(documented_grants(), "chronoveil_writer", role_), "public", schema_);
    ASSERT_THAT(grants, HasSubstr("GRANT SELECT, INSERT"));
    ASSERT_TRUE(place_->sql(grants));
  }

  std::string role_, schema_, as_role_;
};
INSTANTIATE_TEST_SUITE_P(Stores, PostgresRole, ::testing::Values("postgresql"),
                         [](const auto& parameter) { return parameter.param; });

TEST_P(PostgresRole, MayDebitCreateAndVerifyInItsOwnName) {
  Options token;
  token.who = "nightly";
  Ledger ledger = value_of(Ledger::open(as_role_, token));
  const DebitId debit = value_of(ledger.reserve(terms("city"), pure(0.25))).reference().id;
  ok(ledger.settle(debit, State::released));
  ASSERT_TRUE(ledger.create(dataset("town", 1)));
  ASSERT_TRUE(value_of(Ledger::open(as_role_)).reserve(terms("town"), pure(0.25)));
  EXPECT_TRUE(value_of(ledger.verify()).holds());
  EXPECT_EQ(value_of(ledger.history("city"))[0].recorded_by, role_ + " (nightly)");
  EXPECT_EQ(value_of(ledger.history("town"))[0].recorded_by, role_);
}

TEST_P(PostgresRole, MayNotChangeRemoveOrDisarmAnything) {
  ASSERT_TRUE(value_of(Ledger::open(as_role_)).reserve(terms("city"), pure(0.25)));
  const std::string rows = schema_ + ".chronoveil_entries", seals = schema_ + ".chronoveil_datasets";
  for (const std::string& attempt :
       std::vector<std::string>{"UPDATE " + rows + " SET body = body",
                                "DELETE FROM " + rows,
                                "TRUNCATE " + rows,
                                "ALTER TABLE " + rows + " DISABLE TRIGGER USER",
                                "ALTER TABLE " + rows + " DISABLE TRIGGER entries_fit",
                                "DROP TRIGGER entries_fit ON " + rows,
                                "CREATE TRIGGER mine BEFORE INSERT ON " + rows + " FOR EACH ROW EXECUTE FUNCTION " +
                                    schema_ + ".chronoveil_append_only()",
                                "CREATE RULE quiet AS ON INSERT TO " + rows + " DO INSTEAD NOTHING",
                                "ALTER TABLE " + rows + " ENABLE ROW LEVEL SECURITY",
                                "DROP TABLE " + rows,
                                "SET session_replication_role = replica",
                                "SET ROLE chronoveil",
                                "UPDATE " + seals + " SET length = length - 1",
                                "UPDATE " + seals + " SET length = length + 1",
                                "UPDATE " + seals + " SET length = 1, head = (SELECT hash FROM " + rows +
                                    " WHERE sequence = 0), sums = '{}'",
                                "UPDATE " + seals + " SET sums = '{}'",
                                "UPDATE " + seals + " SET name = 'town'",
                                "DELETE FROM " + seals,
                                "TRUNCATE " + seals,
                                "INSERT INTO " + seals + " VALUES ('town', 0, '', '', '')",
                                "INSERT INTO " + rows +
                                    " SELECT dataset, sequence + 1, recorded_at, recorded_by, kind, body, hash, hash "
                                    "FROM " +
                                    rows + " WHERE sequence = 1",
                                "UPDATE " + schema_ + ".chronoveil_meta SET schema_version = 2"}) {
    Connection connection(as_role_);
    EXPECT_FALSE(connection.sql(attempt)) << attempt;
  }
  Ledger ledger = value_of(Ledger::open(place_->where()));
  EXPECT_TRUE(value_of(ledger.verify()).holds());
  EXPECT_EQ(value_of(ledger.history("city")).size(), 1u);
}

// Rows that fit in every other way.
TEST_P(PostgresRole, MayNotWriteInAnotherNameNorWithoutASeal) {
  const std::vector<Entry> present = value_of(value_of(Ledger::open(as_role_)).entries("city"));
  Entry moved = present.back();
  moved.kind = "moved";
  moved.body = R"({"place":"x","to":"sqlite"})";
  const auto append_as = [&](const std::string& who) {
    Entry row = moved;
    row.recorded_by = who;
    row = linked(row, 1, present.back().hash);
    const auto store = value_of(open_store(as_role_, seal_of));
    return store->append("city", [&](const Store::Reader&) -> Result<Addition> {
      return Addition{{row}, value_of(seal_of({present.back(), row}))};
    });
  };
  EXPECT_THAT(refusal(append_as("chronoveil"), ErrorKind::storage), HasSubstr("its database refused"));
  refusal(append_as(role_ + "x"), ErrorKind::storage);
  refusal(append_as(role_ + "x (token)"), ErrorKind::storage);
  moved.recorded_by = role_;
  const Entry row = linked(moved, 1, present.back().hash);
  const std::string insert = "INSERT INTO " + schema_ + ".chronoveil_entries VALUES ('city', 1, '" + row.recorded_at +
                             "', '" + role_ + "', 'moved', '" + row.body + "', '" + row.previous + "', '" + row.hash +
                             "')";
  Connection connection(as_role_);
  EXPECT_TRUE(connection.sql("BEGIN; " + insert + "; ROLLBACK")) << "the row itself is as it should be";
  EXPECT_FALSE(connection.sql(insert));
  ok(append_as(role_));
}

// A row of another month would open another month's budget.
TEST_P(PostgresRole, MayNotDateRowsButByTheClockOfTheServer) {
  DatasetRequest request = dataset("monthly", 1);
  request.renews = Renewal::month;
  ASSERT_TRUE(value_of(Ledger::open(place_->where())).create(request));
  const auto shifted = [&](const std::string& where, std::chrono::hours by) {
    Options options;
    options.clock_is_right = true;
    options.clock = [by] {
      return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now()) + by;
    };
    return value_of(Ledger::open(where, options));
  };
  using std::chrono::hours;
  const DebitId debit = value_of(shifted(as_role_, hours(0)).reserve(terms("monthly"), pure(1))).reference().id;
  EXPECT_THAT(refusal(shifted(as_role_, hours(24 * 40)).reserve(terms("monthly"), pure(1)), ErrorKind::storage),
              HasSubstr("its database refused"));
  refusal(shifted(as_role_, hours(24 * 40)).settle(debit, State::released), ErrorKind::storage);
  EXPECT_TRUE(value_of(value_of(Ledger::open(place_->where())).verify()).holds());
  // Backwards: a dataset whose last row is old.
  ASSERT_TRUE(shifted(place_->where(), hours(-24 * 40)).create([&] {
    DatasetRequest old = request;
    old.name = "old";
    return old;
  }()));
  refusal(shifted(as_role_, hours(-24 * 35)).reserve(terms("old"), pure(1)), ErrorKind::storage);
  refusal(shifted(as_role_, hours(1)).reserve(terms("old"), pure(1)), ErrorKind::storage);
  EXPECT_TRUE(shifted(as_role_, hours(0)).reserve(terms("old"), pure(1)));
  // The owner may, and is told; what follows is dated like it, by whomever.
  ok(shifted(place_->where(), hours(24 * 40)).settle(debit, State::released));
  EXPECT_THAT(value_of(shifted(as_role_, hours(0)).view("monthly")).clock_note, HasSubstr("after the clock"));
  EXPECT_TRUE(shifted(as_role_, hours(0)).reserve(terms("monthly"), pure(0.5)));
}

TEST_P(PostgresRole, MayNotSpoilASignatureNorAName) {
  const std::string seals = schema_ + ".chronoveil_datasets", rows = schema_ + ".chronoveil_entries";
  const std::string forged = std::string(64, 'a') + ":" + std::string(128, 'b');
  Connection connection(as_role_);
  EXPECT_FALSE(connection.sql("UPDATE " + seals + " SET signature = 'x'"));
  EXPECT_FALSE(connection.sql("UPDATE " + seals + " SET signature = '" + forged + "'"));
  Entry row = value_of(value_of(Ledger::open(as_role_)).entries("city")).front();
  row.dataset = "bad name!";
  row.recorded_by = role_;
  row = linked(row, 0, "");
  const auto store = value_of(open_store(as_role_, seal_of));
  refusal(store->append("bad name!",
                        [&](const Store::Reader&) -> Result<Addition> {
                          return Addition{{row}, Seal{1, row.hash, "{}", ""}};
                        }),
          ErrorKind::storage);
  EXPECT_TRUE(value_of(Ledger::open(as_role_)).reserve(terms("city"), pure(0.25)));
}

// As the release before wrote it: the same tables, functions that asked for less.
TEST_P(PostgresRole, ALedgerWithEarlierGuardsGetsTheNewOnesAndKeepsItsSeals) {
  ASSERT_TRUE(
      place_->sql("UPDATE chronoveil_meta SET schema_version = 3; CREATE OR REPLACE FUNCTION chronoveil_entry_fits() "
                  "RETURNS trigger "
                  "LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$BEGIN RETURN NEW; END$$"));
  EXPECT_THAT(refusal(Ledger::open(as_role_), ErrorKind::storage), HasSubstr("let the owner of its tables open it"));
  EXPECT_TRUE(Ledger::open(place_->where()));
  EXPECT_TRUE(value_of(Ledger::open(as_role_)).reserve(terms("city"), pure(0.25)));
  // A seal that does not fit is not made anew.
  ASSERT_TRUE(place_->edit("UPDATE chronoveil_datasets SET length = 9; UPDATE chronoveil_meta SET schema_version = 3"));
  EXPECT_FALSE(value_of(value_of(Ledger::open(place_->where())).verify()).holds());
}

TEST_P(PostgresRole, ALedgerThatItsOwnerDisarmedIsRefused) {
  const std::string rows = "chronoveil_entries";
  for (const auto& [harm, said] : std::vector<std::pair<std::string, std::string>>{
           {"ALTER TABLE " + rows + " DISABLE TRIGGER entries_fit", "entries_fit"},
           {"ALTER TABLE " + rows + " ENABLE TRIGGER entries_never_change", "entries_never_change"},
           {"DROP TRIGGER seals_fit ON chronoveil_datasets", "seal_fits"},
           {"CREATE OR REPLACE FUNCTION chronoveil_seal_grows() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RETURN NEW; END $$",
            "chronoveil_seal_grows"},
           {"CREATE RULE quiet AS ON INSERT TO " + rows + " DO INSTEAD NOTHING", rows},
           {"ALTER TABLE " + rows + " ENABLE ROW LEVEL SECURITY", rows},
           {"ALTER TABLE " + rows + " SET UNLOGGED", rows},
           {"ALTER TABLE " + rows + " DROP CONSTRAINT chronoveil_entries_pkey", rows},
           {"ALTER TABLE chronoveil_datasets ALTER COLUMN sums DROP NOT NULL", "sums"},
           {"ALTER TABLE " + rows + " RENAME TO away; CREATE VIEW " + rows + " AS SELECT * FROM away", rows}}) {
    place_ = make_postgres_place();
    ASSERT_TRUE(value_of(Ledger::open(place_->where())).create(dataset("city", 1)));
    ASSERT_TRUE(place_->sql(harm)) << harm;
    EXPECT_THAT(refusal(Ledger::open(place_->where()), ErrorKind::storage), HasSubstr(said)) << harm;
  }
}

// Otherwise a role that may create a schema that is searched first could put an empty ledger before the true one, or
// its own functions and operators before the server's.
TEST_P(PostgresRole, AnotherSchemaOnThePathChangesNothing) {
  const std::string evil = "evil_" + role_;
  ASSERT_TRUE(
      place_->sql("CREATE SCHEMA " + evil + "; CREATE TABLE " + evil + ".chronoveil_entries (x TEXT); " +
                  "CREATE FUNCTION " + evil + ".max(bigint) RETURNS bigint LANGUAGE sql AS 'SELECT 0::bigint'; " +
                  "CREATE FUNCTION " + evil + ".same(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT false'; " +
                  "CREATE OPERATOR " + evil + ".= (FUNCTION = " + evil + ".same, LEFTARG = text, RIGHTARG = text)"));
  const std::string first = replaced(place_->where(), "%3D" + schema_, "%3D" + evil + ",pg_catalog," + schema_);
  {
    Ledger ledger = value_of(Ledger::open(first));
    ASSERT_TRUE(ledger.reserve(terms("city"), pure(0.25)));
    EXPECT_TRUE(value_of(ledger.verify()).holds());
  }
  EXPECT_EQ(value_of(value_of(Ledger::open(place_->where())).history("city")).size(), 1u);
  ASSERT_TRUE(place_->sql("CREATE TABLE " + evil + ".chronoveil_meta (schema_version INTEGER NOT NULL)"));
  EXPECT_THAT(refusal(Ledger::open(first), ErrorKind::storage), HasSubstr("a ledger in each of the schemas"));
}

TEST_P(PostgresRole, ALockIsNotWaitedForWithoutLimit) {
  Connection orphan(place_->where());
  ASSERT_TRUE(orphan.sql("BEGIN; SELECT * FROM chronoveil_datasets WHERE name = 'city' FOR UPDATE"));
  Ledger ledger = value_of(Ledger::open(place_->where() + "%20-clock_timeout%3D100ms"));
  EXPECT_THAT(refusal(ledger.reserve(terms("city"), pure(0.25)), ErrorKind::storage), HasSubstr("holds the lock"));
  ASSERT_TRUE(ledger.view("city"));
  ASSERT_TRUE(orphan.sql("ROLLBACK"));
  EXPECT_TRUE(ledger.reserve(terms("city"), pure(0.25)));
}

TEST_P(PostgresRole, AServerThatDoesNotSyncIsWarnedOf) {
  std::vector<std::string> heard;
  on_warning([&](const std::string& warning) { heard.push_back(warning); });
  const auto listen = [&] {
    heard.clear();
    value_of(Ledger::open(place_->where()));
    return heard;
  };
  EXPECT_THAT(listen(), ElementsAre());
  Connection root(place_->where());
  const auto set = [&](const std::string& change, std::size_t warnings) {
    ASSERT_TRUE(root.sql("ALTER SYSTEM " + change));
    ASSERT_TRUE(root.sql("SELECT pg_reload_conf()"));
    // The server takes it over when it has a moment.
    for (int i = 0; i < 500 && listen().size() != warnings; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
  };
  set("SET fsync = off", 1);
  EXPECT_THAT(listen(), ElementsAre(HasSubstr("fsync = off")));
  set("SET full_page_writes = off", 2);
  EXPECT_THAT(listen(), ElementsAre(HasSubstr("fsync = off"), HasSubstr("full_page_writes = off")));
  set("RESET ALL", 0);
  EXPECT_THAT(listen(), ElementsAre());
  on_warning({});
}

}  // namespace
}  // namespace chronoveil::ledger::testing
