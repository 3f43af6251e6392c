// Whatever a job asks of its source, and whatever the data, everything before the debit ends the same way, in the same
// words. Each query here would see the data once it runs.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "data/compressing.h"
#include "engine/fixtures.h"
#include "support/postgres_server.h"

namespace chronoveil::engine {
namespace {

using chronoveil::testing::PostgresServer;
using testing::fails;

constexpr const char* kColumns = "user = \"card\"\ntime = \"ts\"\nseries = \"stop\"\n";

class BeforeDebit : public testing::JobFolder {
 protected:
  struct Ending {
    std::string before;  // what check says; what run says where it makes no debit
    std::string after;   // what run says after its debit
  };

  void SetUp() override {
    JobFolder::SetUp();
    create_dataset(900, 1e-2);
    options_.confirmed = true;
  }

  static std::string text_of(const Error& error) {
    return std::to_string(static_cast<int>(error.kind)) + " " + error.text();
  }

  Ending ending_of(const std::string& source) {
    Ending ending;
    const Job asked = job(job_text(source + kColumns));
    const Result<Checked> checked = check_job(asked, options_);
    ending.before = checked ? "may run; " : text_of(checked.error()) + "; ";
    bool debited = false;
    options_.note_debit = [&](const std::string&) { debited = true; };
    const Result<report::Published> done = run_job(asked, options_);
    (debited ? ending.after : ending.before) += done ? "done" : text_of(done.error()).substr(0, 1);
    return ending;
  }

  // Of data with the canary and without it.
  template <class Put>
  void expect_same(const std::string& source, Put put, const std::string& asked) {
    put(true);
    const Ending with = ending_of(source);
    put(false);
    const Ending without = ending_of(source);
    EXPECT_EQ(with.before, without.before) << asked;
    EXPECT_EQ(with.before, "may run; ") << asked;
    EXPECT_NE(with.after, without.after) << "it does not see the data: " << asked;
  }
};

std::string sql_source(const std::string& where, const std::string& query) {
  return where + "query = '''" + query + "'''\n";
}

TEST_F(BeforeDebit, PostgresqlEvaluatesNothing) {
  PostgresServer* const server = PostgresServer::shared();
  if (server == nullptr) GTEST_SKIP() << "no PostgreSQL server is installed below /usr/lib/postgresql";
  ASSERT_TRUE(server->sql(
      "CREATE TABLE riders (card TEXT, ts TEXT, stop TEXT);"
      // IMMUTABLE is a promise that the server does not check.
      "CREATE FUNCTION canary_is_gone() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN "
      "IF EXISTS (SELECT FROM riders WHERE card = 'CANARY') THEN RAISE EXCEPTION 'seen'; END IF; RETURN true; END $$;"
      "CREATE FUNCTION names_canary() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN "
      "IF EXISTS (SELECT FROM riders WHERE card = 'CANARY') THEN RAISE EXCEPTION USING ERRCODE = '42601', "
      "MESSAGE = (SELECT card FROM riders LIMIT 1); END IF; RETURN true; END $$;"
      "CREATE FUNCTION canaries() RETURNS integer LANGUAGE sql STABLE AS $$ "
      "SELECT count(*)::integer FROM riders WHERE card = 'CANARY' $$"));
  const auto put = [&](bool canary) {
    ASSERT_TRUE(server->sql(std::string("TRUNCATE riders; INSERT INTO riders VALUES ('") + (canary ? "CANARY" : "c1") +
                            "', '2026-03-01T00:30', 'north')"));
  };
  const std::string where = "kind = \"postgresql\"\nurl = \"" + server->url() + "\"\n";
  for (const char* query : {"SELECT * FROM riders WHERE length(ts) > 1 / position('CANARY<' in "
                            "table_to_xml('riders'::regclass, true, false, '')::text)",
                            "SELECT * FROM riders WHERE canary_is_gone()", "SELECT * FROM riders WHERE names_canary()",
                            "SELECT * FROM riders WHERE length(ts) > 1 / canaries()",
                            "SELECT card, ts, stop FROM (SELECT *, 1 / canaries() AS n FROM riders) AS r WHERE n > 0",
                            "SELECT * FROM riders LIMIT 1 / canaries()",
                            "WITH seen AS (SELECT canary_is_gone() AS so) SELECT riders.* FROM riders, seen WHERE so",
                            "SELECT card, ts, CASE WHEN canary_is_gone() THEN stop END AS stop FROM riders"}) {
    expect_same(sql_source(where, query), put, query);
  }
  ASSERT_TRUE(server->sql("CREATE VIEW seen_riders AS SELECT * FROM riders WHERE canary_is_gone()"));
  expect_same(where + "table = \"seen_riders\"\n", put, "a view");

  // Parsing turns constants into values, and a domain that reads the table takes part in that.
  ASSERT_TRUE(
      server->sql("CREATE FUNCTION is_rider(text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$ "
                  "SELECT EXISTS (SELECT FROM riders WHERE card = $1) $$;"
                  "CREATE DOMAIN rider AS text CHECK (is_rider(VALUE)); CREATE TYPE ridden AS (who rider)"));
  for (const char* query : {"SELECT *, '{CANARY}'::rider[] FROM riders", "SELECT *, '(CANARY)'::ridden FROM riders"}) {
    std::string said[2];
    for (const bool canary : {false, true}) {
      put(canary);
      said[canary ? 1 : 0] = ending_of(sql_source(where, query)).before;
    }
    EXPECT_EQ(said[0], said[1]) << query;
    EXPECT_NE(said[0].find("2 source.query: this database checks values of its type public.rider"), std::string::npos)
        << said[0];
  }
  // A view and a table need no constants, and domains that look at their value alone do no harm.
  expect_same(where + "table = \"seen_riders\"\n", put, "a view beside such a domain");
  ASSERT_TRUE(
      server->sql("DROP TYPE ridden; DROP DOMAIN rider;"
                  "CREATE DOMAIN stop_name AS text CHECK (VALUE ~ '^[a-z]+$' AND length(VALUE) < 40)"));
  expect_same(sql_source(where, "SELECT *, '{north}'::stop_name[] FROM riders WHERE canary_is_gone()"), put, "a name");
  ASSERT_TRUE(server->sql("DROP DOMAIN stop_name; DROP VIEW seen_riders; DROP TABLE riders"));
}

class BeforeDebitOfPostgresql : public BeforeDebit {
 protected:
  void SetUp() override {
    BeforeDebit::SetUp();
    server_ = PostgresServer::shared();
    if (server_ == nullptr) GTEST_SKIP() << "no PostgreSQL server is installed below /usr/lib/postgresql";
    ASSERT_TRUE(server_->sql(
        "CREATE SCHEMA canaries; CREATE TABLE canaries.riders (card TEXT, ts TEXT, stop TEXT);"
        "CREATE FUNCTION canaries.gone() RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN "
        "IF EXISTS (SELECT FROM canaries.riders WHERE card = 'CANARY') THEN RAISE EXCEPTION 'seen'; END IF; "
        "RETURN true; END $$; CREATE VIEW canaries.seen AS SELECT * FROM canaries.riders "
        "WHERE canaries.gone()"));
  }
  void TearDown() override {
    if (server_ != nullptr) {
      EXPECT_TRUE(
          server_->sql("SET client_min_messages = error; DROP SCHEMA IF EXISTS evil CASCADE; "
                       "DROP SCHEMA canaries CASCADE"));
    }
    BeforeDebit::TearDown();
  }

  void put(bool canary) const {
    ASSERT_TRUE(server_->sql(std::string("TRUNCATE canaries.riders; INSERT INTO canaries.riders VALUES ('") +
                             (canary ? "CANARY" : "c1") + "', '2026-03-01T00:30', 'north')"));
  }
  std::string where(const std::string& more = "") const {
    return "kind = \"postgresql\"\nurl = \"" + server_->url() + more + "\"\n";
  }
  void expect_same(const std::string& source) {
    BeforeDebit::expect_same(
        source, [&](bool canary) { put(canary); }, source);
  }

  PostgresServer* server_ = nullptr;
};

// Whoever writes the job writes its url, and with it the path on which names are looked up.
TEST_F(BeforeDebitOfPostgresql, OurOwnQuestionsUseTheServersOperatorsAndTypes) {
  ASSERT_TRUE(
      server_->sql("CREATE SCHEMA evil; CREATE FUNCTION evil.same(oid, oid) RETURNS boolean LANGUAGE plpgsql IMMUTABLE "
                   "AS $$ BEGIN RETURN canaries.gone() AND $1::int8 OPERATOR(pg_catalog.=) $2::int8; END $$;"
                   "CREATE OPERATOR evil.= (leftarg = oid, rightarg = oid, function = evil.same)"));
  const std::string url = where("&options=-csearch_path%3Devil,pg_catalog");
  expect_same(sql_source(url, "SELECT * FROM canaries.seen"));
  // The path is the query's own again: it finds what is there.
  ASSERT_TRUE(server_->sql("CREATE VIEW evil.riders_there AS SELECT * FROM canaries.seen"));
  expect_same(sql_source(url, "SELECT * FROM riders_there"));
  ASSERT_TRUE(server_->sql("CREATE DOMAIN evil.text AS pg_catalog.text CHECK (canaries.gone())"));
  expect_same(url + "table = \"canaries.seen\"\n");
}

// GREATEST and comparisons of arrays name no function: they look for the operator class of the type.
TEST_F(BeforeDebitOfPostgresql, TypesThatAreComparedByAFunctionAreRefused) {
  std::string made =
      "CREATE SCHEMA evil; SET search_path = evil, public; CREATE TYPE evil.comp AS (a text);"
      "CREATE FUNCTION evil.ccmp(comp, comp) RETURNS int LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN "
      "RETURN CASE WHEN canaries.gone() THEN 0 END; END $$;";
  for (const char* operation : {"<", "<=", "=", ">=", ">"}) {
    const std::string name = "evil.c" + std::to_string(made.size());
    made += "CREATE FUNCTION " + name + "(comp, comp) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT true';" +
            "CREATE OPERATOR evil." + operation + " (leftarg = comp, rightarg = comp, function = " + name + ");";
  }
  made +=
      "CREATE OPERATOR CLASS evil.comp_ops DEFAULT FOR TYPE comp USING btree AS OPERATOR 1 evil.<, OPERATOR 2 evil.<=, "
      "OPERATOR 3 evil.=, OPERATOR 4 evil.>=, OPERATOR 5 evil.>, FUNCTION 1 evil.ccmp(comp, comp);"
      "CREATE DOMAIN evil.greatest_of AS text CHECK (greatest(row(VALUE)::comp, row('a')::comp) IS NOT NULL);"
      "CREATE DOMAIN evil.array_of AS text CHECK (ARRAY[row(VALUE)::comp] >= ARRAY[row('a')::comp]);";
  ASSERT_TRUE(server_->sql(made));
  for (const char* type : {"greatest_of", "array_of"}) {
    const std::string query = std::string("SELECT *, '{x}'::evil.") + type + "[] FROM canaries.riders";
    std::string said[2];
    for (const bool canary : {false, true}) {
      put(canary);
      said[canary ? 1 : 0] = ending_of(sql_source(where(), query)).before;
    }
    EXPECT_EQ(said[0], said[1]) << query;
    EXPECT_NE(said[0].find("2 source.query: this database checks values of its type"), std::string::npos) << said[0];
  }
  // A table needs no constants.
  expect_same(where() + "table = \"canaries.seen\"\n");
}

// Such as `earth`, a domain that a function in SQL checks.
TEST_F(BeforeDebitOfPostgresql, WhatASuperuserInstalledWithAnExtensionIsTrusted) {
  ASSERT_TRUE(
      server_->sql("CREATE SCHEMA evil; SET search_path = evil; CREATE EXTENSION cube; "
                   "CREATE EXTENSION earthdistance"));
  expect_same(sql_source(where(), "SELECT * FROM canaries.seen"));
}

// What can be seen without the data is not paid for.
TEST_F(BeforeDebitOfPostgresql, QueriesThatCannotRunAreRefused) {
  ASSERT_TRUE(
      server_->sql("DROP ROLE IF EXISTS blind; CREATE ROLE blind LOGIN; GRANT USAGE ON SCHEMA canaries TO blind;"
                   "GRANT SELECT (card, ts) ON canaries.riders TO blind"));
  put(false);
  const auto refused = [&](const std::string& source) {
    const Ending ending = ending_of(source);
    EXPECT_EQ(ending.after, "") << source;
    return ending.before;
  };
  const std::string all = "SELECT * FROM canaries.riders";
  for (const char* end : {" WHERE card = $1", " LIMIT $1", " FOR UPDATE", " FOR SHARE", " FOR KEY SHARE OF riders"}) {
    const std::string said = refused(sql_source(where(), all + end));
    EXPECT_NE(said.find(end[1] == 'F' ? "without FOR UPDATE" : "parameters such as $1"), std::string::npos) << said;
  }
  std::string as_blind = where();
  as_blind.replace(as_blind.find("user=chronoveil"), 15, "user=blind");
  for (const char* query : {"SELECT card, ts, stop FROM canaries.riders", "SELECT * FROM canaries.riders",
                            "SELECT r.card, r.ts, r.stop FROM (SELECT * FROM canaries.riders) AS r"}) {
    const std::string said = refused(sql_source(as_blind, query));
    EXPECT_NE(said.find("2 source.query: the role of source.url may not read its column stop"), std::string::npos)
        << said;
  }
  // Columns that it may read, and one of no table.
  const Ending may = ending_of(sql_source(as_blind, "SELECT card, ts, 'north' AS stop FROM canaries.riders"));
  EXPECT_EQ(may.before, "may run; ");
  EXPECT_EQ(may.after, "done");
  EXPECT_TRUE(server_->sql("DROP OWNED BY blind; DROP ROLE blind"));
}

TEST_F(BeforeDebit, SqliteEvaluatesNothing) {
  const auto put = [&](bool canary) {
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(at("riders.db").c_str(), &database), SQLITE_OK);
    const std::string sql = std::string(
                                "DROP TABLE IF EXISTS riders; DROP VIEW IF EXISTS seen_riders;"
                                "CREATE TABLE riders (card, ts, stop); INSERT INTO riders VALUES ('") +
                            (canary ? "CANARY" : "c1") +
                            "', '2026-03-01T00:30', 'north'); CREATE VIEW seen_riders AS SELECT * FROM riders "
                            "WHERE json_valid(json(CASE card WHEN 'CANARY' THEN '[' ELSE '[]' END)); ANALYZE";
    ASSERT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
    sqlite3_close(database);
  };
  const std::string where = "kind = \"sqlite\"\npath = \"riders.db\"\n";
  for (const char* query :
       {"SELECT * FROM riders WHERE abs(CASE (SELECT card FROM riders) WHEN 'CANARY' THEN -9223372036854775807 - 1 "
        "ELSE 1 END)",
        "SELECT * FROM riders LIMIT (SELECT json(CASE card WHEN 'CANARY' THEN '[' ELSE '1' END) FROM riders)",
        "SELECT riders.* FROM riders, json_each((SELECT CASE card WHEN 'CANARY' THEN '[' ELSE '[1]' END FROM riders))"})
    expect_same(sql_source(where, query), put, query);
  expect_same(where + "table = \"seen_riders\"\n", put, "a view");
}

// Quotes and lines that break no rule of the header, whatever they break after it.
TEST_F(BeforeDebit, ACsvIsReadToTheEndOfItsHeader) {
  for (const std::string& rows : {std::string("c1,yesterday,north\n"), std::string("c1,2026-03-01\n"),
                                  std::string("c\"1,2026-03-01,north\n"), std::string("\"c1\"x,2026-03-01,north\n"),
                                  std::string("\"c1,2026-03-01,north\n"), std::string("c1,2026-03-01,n\0rth\n", 21),
                                  std::string(300'000, 'x'), std::string("c1,2026-03-01T00:30,north")}) {
    write("trips.csv", "card,ts,stop\n" + rows);
    const Ending ending = ending_of("path = \"trips.csv\"\n");
    EXPECT_EQ(ending.before, "may run; ") << rows.substr(0, 40);
    EXPECT_NE(ending.after, "");
  }
}

// A file so small that its header, its rows and its checksum come with one read.
TEST_F(BeforeDebit, ACompressedCsvIsNotReadToItsChecksum) {
  const std::string text = "card,ts,stop\nc1,2026-03-01T00:30,north\n";
  for (std::string bytes : {data::testing::gzip(text), data::testing::xz(text)}) {
    const bool gzip = bytes.front() == '\x1f';
    // That of gzip is before the last four bytes; that of xz before an index of eight bytes and a footer of twelve.
    const std::size_t checksum = gzip ? bytes.size() - 8 : bytes.size() - 12 - 8 - 2;
    bytes[checksum] = static_cast<char>(bytes[checksum] ^ 1);
    write("trips.csv", bytes);
    const Ending ending = ending_of("path = \"trips.csv\"\n");
    EXPECT_EQ(ending.before, "may run; ") << gzip;
    EXPECT_NE(ending.after, "") << gzip;
    EXPECT_NE(ending.after, "done") << gzip;
  }
}

TEST_F(BeforeDebit, ARowThatIsFirstInsteadOfAHeaderIsNotLookedAt) {
  const std::string numbers =
      "path = \"rows.csv\"\nheader = false\ndelimiter = \";\"\nuser = \"1\"\ntime = \"3\"\nseries = \"5\"\n";
  for (const char* rows : {"c1;;2026-03-01T00:30;;north\n", "c1;2026-03-01;north\n", "", "\"", "BZh91AY"}) {
    write("rows.csv", rows);
    const Job asked = job(job_text(numbers));
    const Result<Checked> checked = check_job(asked, options_);
    EXPECT_TRUE(checked) << rows << ": " << checked.error().text();
    bool debited = false;
    options_.note_debit = [&](const std::string&) { debited = true; };
    const Result<report::Published> done = run_job(asked, options_);
    EXPECT_TRUE(debited) << rows;
    options_.note_debit = {};
  }
  write("rows.csv", "c1;2026-03-01;north\n");
  EXPECT_TRUE(
      fails(run_job(job(job_text(numbers)), options_), ErrorKind::bad_data, "source.series: there is no column 5"));
  // What needs no row is said at once.
  Job named = job(job_text(numbers));
  named.source.time = "ts";
  EXPECT_TRUE(fails(check_job(named, options_), ErrorKind::usage, "number of a column"));
}

}  // namespace
}  // namespace chronoveil::engine
