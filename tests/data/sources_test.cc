// Every kind of source: the same table gives the same records, and each says clearly what it cannot read.
#include <libpq-fe.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <random>

#include "chronoveil/data/csv/byte_source.h"
#include "chronoveil/data/row_decoder.h"
#include "compressing.h"
#include "reading.h"
#include "support/postgres_server.h"
#include "support/temporary_folder.h"

namespace chronoveil::data::testing {
namespace {

using chronoveil::testing::PostgresServer;
using chronoveil::testing::TemporaryFolder;

struct Row {
  std::string user, time, series, value;
};

// Enough rows for several batches and windows.
std::vector<Row> some_rows() {
  std::mt19937 random(13);
  std::vector<Row> rows;
  for (int i = 0; i < 20'000; ++i) {
    const unsigned second = static_cast<unsigned>(random() % 86400);
    char time[40];
    std::snprintf(time, sizeof time, "2026-03-%02u %02u:%02u:%02u.%03u", static_cast<unsigned>(1 + random() % 28),
                  second / 3600, second / 60 % 60, second % 60, static_cast<unsigned>(random() % 1000));
    rows.push_back({"u" + std::to_string(random() % 1000), time,
                    i % 7 == 0    ? "O'Brien \"St\", 5"
                    : i % 11 == 0 ? ""
                                  : "A",
                    std::to_string(random() % 100)});
  }
  return rows;
}

std::string csv_of(const std::vector<Row>& rows) {
  std::string text = "card,ts,stop,n\n";
  for (const Row& row : rows) {
    std::string series = "\"";
    for (const char c : row.series) series.append(c == '"' ? 2 : 1, c);
    text += row.user + ',' + row.time + ',' + series + "\"," + row.value + '\n';
  }
  return text;
}

std::string insert_statements(const std::vector<Row>& rows) {
  std::string sql;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::string series;
    for (const char c : rows[i].series) series.append(c == '\'' ? 2 : 1, c);
    sql += (i % 1000 == 0 ? (i == 0 ? "" : ";") + std::string("INSERT INTO trips VALUES ") : std::string(",")) + "('" +
           rows[i].user + "','" + rows[i].time + "','" + series + "'," + rows[i].value + ",'unused')";
  }
  return sql;
}

void run_sqlite(const std::string& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK) << sqlite3_errmsg(database);
  sqlite3_close(database);
}

class Sources : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  SourceSpec file(const std::string& name, const std::string& bytes) const {
    write_file(path(name), bytes);
    SourceSpec spec = all_columns();
    spec.path = path(name);
    return spec;
  }
  SourceSpec sqlite(const std::string& sql) const {
    run_sqlite(path("trips.db"), sql);
    SourceSpec spec = all_columns();
    spec.kind = SourceKind::sqlite;
    spec.path = path("trips.db");
    return spec;
  }
  TemporaryFolder folder_;
};

TEST_F(Sources, CompressedFilesReadLikePlainOnes) {
  const std::string text = csv_of(some_rows());
  const auto plain = read_source(file("trips.csv", text));
  ASSERT_TRUE(plain) << message(plain);
  ASSERT_EQ(plain->time.size(), 20'000U);
  const std::size_t half = text.size() / 2;  // in the middle of a row
  const std::string first = text.substr(0, half), second = text.substr(half);
  for (const std::string& bytes :
       {gzip(text), gzip(first) + gzip("") + gzip(second), gzip(text) + std::string(600, '\0'), xz(text),
        xz(first) + xz(second), xz(text) + std::string(8, '\0')}) {
    expect_table(file("trips.any", bytes), *plain);
  }
}

TEST_F(Sources, CompressedBytesMayComeInAnyPieces) {
  const std::string text = csv_of({{"u", "2026-03-01", "A", "1"}, {"v", "2026-03-02", "B", "2"}});
  const auto plain = read_csv(text + "w,2026-03-03,C,3\n", all_columns());
  ASSERT_TRUE(plain) << message(plain);
  ASSERT_EQ(plain->user, (std::vector<std::string>{"u", "v", "w"}));
  for (const std::string& bytes : {gzip(text) + gzip("w,2026-03-03,C,3\n"), xz(text) + xz("w,2026-03-03,C,3\n")}) {
    for (std::size_t piece = 1; piece < 40; ++piece) {
      auto source = decompress_if_needed(std::make_unique<MemorySource>(bytes, piece));
      ASSERT_TRUE(source) << message(source);
      auto csv = open_csv(std::move(*source), all_columns(), 64);
      ASSERT_TRUE(csv) << message(csv);
      const auto read = read_all(**csv);
      ASSERT_TRUE(read) << message(read);
      EXPECT_EQ(read->user, plain->user);
      EXPECT_EQ(read->time, plain->time);
      EXPECT_EQ(read->series, plain->series);
      EXPECT_EQ(read->value, plain->value);
    }
  }
}

TEST_F(Sources, CutOffAndCorruptFilesSayAfterWhichRow) {
  const std::string text = csv_of(some_rows());
  for (const auto& [name, bytes] : {std::pair("gzip", gzip(text)), std::pair("xz", xz(text))}) {
    for (const std::size_t left : {bytes.size() / 2, bytes.size() - 1, bytes.size() - 9}) {
      const auto cut = read_source(file("cut", bytes.substr(0, left)));
      expect_failure(cut, ErrorKind::bad_data, std::string(name) + " data is cut off");
      EXPECT_NE(message(cut).find("after row "), std::string::npos) << message(cut);
    }
    expect_failure(read_source(file("cut", bytes.substr(0, 30))), ErrorKind::bad_data, "before the first row");
    std::string damaged = bytes;
    for (std::size_t i = 0; i < 20; ++i)
      damaged[damaged.size() / 2 + i] = static_cast<char>(~damaged[damaged.size() / 2 + i]);
    // Gzip notices at the end of a member only, so the rows may fail first.
    expect_failure(read_source(file("damaged", damaged)), ErrorKind::bad_data, "row ");
    std::string wrong_sum = bytes;
    wrong_sum[wrong_sum.size() - 6] = static_cast<char>(~wrong_sum[wrong_sum.size() - 6]);
    expect_failure(read_source(file("wrong_sum", wrong_sum)), ErrorKind::bad_data,
                   std::string(name) + " data is corrupt");
    EXPECT_FALSE(read_source(file("garbage", bytes + "garbage!")));
  }
  expect_failure(read_source(file("garbage", gzip(text) + "garbage!")), ErrorKind::bad_data, "followed by bytes");
}

TEST_F(Sources, FilesOfOtherKindsAreNamed) {
  expect_failure(read_source(file("a", "\x28\xb5\x2f\xfd....")), ErrorKind::bad_data, "zstd");
  expect_failure(read_source(file("a", "BZh91AY")), ErrorKind::bad_data, "bzip2");
  expect_failure(read_source(file("a", "PK\x03\x04...")), ErrorKind::bad_data, "zip archive or an Excel workbook");
  expect_failure(read_source(file("a", "PK\x03\x04...")), ErrorKind::bad_data, "pandas.read_excel(");
  expect_failure(read_source(file("a", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1...")), ErrorKind::bad_data, "libreoffice");
  expect_failure(read_source(file("a", "PAR1....")), ErrorKind::bad_data, "duckdb -c \"COPY (FROM 'in.parquet') TO");
  for (const char* start : {"ARROW1..", "FEA1...."})
    expect_failure(read_source(file("a", start)), ErrorKind::bad_data, "read_feather('in.arrow')");
  expect_failure(read_source(file("a", "\xff\xff\xff\xff....")), ErrorKind::bad_data, "open_stream('in.arrow')");
  expect_failure(read_source(file("a", std::string("\xff\xfet\0s\0", 6))), ErrorKind::bad_data, "UTF-16");
  expect_failure(read_source(file("a", std::string("t\0s\0\n\0", 6))), ErrorKind::bad_data, "NUL");
}

TEST_F(Sources, FilesThatCannotBeReadAreStorageErrors) {
  SourceSpec spec = all_columns();
  spec.path = path("absent.csv");
  expect_failure(read_source(spec), ErrorKind::storage, "absent.csv: No such file");
  spec.path = folder_.path();
  expect_failure(read_source(spec), ErrorKind::storage, "cannot read");
}

TEST_F(Sources, StandardInputIsReadThroughADash) {
  write_file(path("in.csv"), csv_of({{"u", "2026-03-01", "A", "1"}}));
  const int saved = dup(STDIN_FILENO);
  std::FILE* const opened = std::freopen(path("in.csv").c_str(), "r", stdin);
  ASSERT_NE(opened, nullptr);
  SourceSpec spec = all_columns();
  spec.path = "-";
  const auto read = read_source(spec);
  dup2(saved, STDIN_FILENO);
  close(saved);
  ASSERT_TRUE(read) << message(read);
  EXPECT_EQ(read->user, std::vector<std::string>{"u"});
}

TEST_F(Sources, UnknownZonesAndFormatsAreUsageErrors) {
  SourceSpec spec = file("trips.csv", csv_of({}));
  spec.zone = "Nowhere";
  expect_failure(read_source(spec), ErrorKind::usage, "zone: Nowhere");
  spec.zone = "UTC";
  spec.time_format = "sometimes";
  expect_failure(read_source(spec), ErrorKind::usage, "time_format: sometimes");
  spec.time_format = "iso8601";
  spec.user = "";
  expect_failure(read_source(spec), ErrorKind::usage, "must not be empty");
}

TEST_F(Sources, SqliteReadsLikeCsv) {
  const std::vector<Row> rows = some_rows();
  SourceSpec spec =
      sqlite("CREATE TABLE trips (card TEXT, ts TEXT, stop TEXT, n INTEGER, other TEXT);" + insert_statements(rows));
  spec.table = "trips";
  spec.zone = "Europe/Berlin";
  SourceSpec csv = file("trips.csv", csv_of(rows));
  csv.zone = spec.zone;
  const auto wanted = read_source(csv);
  ASSERT_TRUE(wanted) << message(wanted);
  expect_table(spec, *wanted);
  spec.table = "main.trips";
  EXPECT_TRUE(read_source(spec));
  spec.table = "";
  spec.query = "SELECT n, stop, ts, card FROM trips ORDER BY rowid; -- all of them";
  expect_table(spec, *wanted);
}

TEST_F(Sources, SqliteTakesNumbersOfItsOwnAndNullAsEmpty) {
  SourceSpec spec = sqlite(
      "CREATE TABLE t (card, ts, stop, n); INSERT INTO t VALUES (7, 1772323200.25, NULL, 3.0), "
      "('u', 1772323200, 'A', 4)");
  spec.table = "t";
  spec.time_format = "epoch";
  expect_table(spec, Table{{"7", "u"}, {"", "A"}, {1772323200250, 1772323200000}, {3, 4}});
  run_sqlite(spec.path, "INSERT INTO t VALUES (NULL, 1772323200, 'A', 1)");
  expect_failure(read_source(spec), ErrorKind::bad_data, "row 3: column card: empty");
  run_sqlite(spec.path, "DELETE FROM t; INSERT INTO t VALUES (CAST(x'610062' AS TEXT), 1, 'A', 1)");
  expect_failure(read_source(spec), ErrorKind::bad_data, "row 1: a NUL byte");
}

TEST_F(Sources, SqliteSaysWhatIsWrong) {
  SourceSpec spec = sqlite("CREATE TABLE t (card, ts, stop); INSERT INTO t VALUES ('u', 'secret', 'A')");
  expect_failure(read_source(spec), ErrorKind::usage, "needs a query or a table");
  spec.table = "t";
  expect_failure(read_source(spec), ErrorKind::bad_data, "value: column n is not among the 3 of the table");
  spec.value = std::nullopt;
  const auto bad = read_source(spec);
  expect_failure(bad, ErrorKind::bad_data, "row 1: column ts: not a time");
  EXPECT_EQ(message(bad).find("secret"), std::string::npos);
  spec.query = "SELECT 1";
  expect_failure(read_source(spec), ErrorKind::usage, "not both");
  spec.query = "";
  spec.table = "absent";
  expect_failure(read_source(spec), ErrorKind::usage, "table: SQLite refuses it: no such table: absent");
  spec.table = "";
  for (const char* query : {"SELEKT", "SELECT card FROM", "DELETE FROM t", "DELETE FROM t RETURNING *", "",
                            "SELECT * FROM t; DELETE FROM t", "SELECT * FROM t; x", "VACUUM", " ",
                            // What is no SELECT although it gives rows, and what reaches beyond the database.
                            "PRAGMA table_info(t)", "PRAGMA case_sensitive_like = ON", "EXPLAIN SELECT * FROM t",
                            "EXPLAIN QUERY PLAN SELECT * FROM t", "ATTACH 'other.db' AS other",
                            "SELECT name AS card, type AS ts, cid AS stop FROM pragma_table_info('t')",
                            "SELECT card, ts, load_extension('other') AS stop FROM t"}) {
    spec.query = query;
    const auto refused = read_source(spec);
    ASSERT_FALSE(refused) << query;
    EXPECT_EQ(refused.error().kind, ErrorKind::usage) << query;
  }
  spec.query = "SELECT card, ts, stop, ts FROM t";
  expect_failure(read_source(spec), ErrorKind::bad_data, "time: column ts is there more than once");
  spec.query = "SELECT card, ts, abs(-9223372036854775807 - 1) AS stop FROM t";
  expect_failure(read_source(spec), ErrorKind::bad_data, "failed at row 1");
  spec.path = path("absent.db");
  expect_failure(read_source(spec), ErrorKind::storage, "absent.db");
  EXPECT_NE(access(spec.path.c_str(), F_OK), 0);
  write_file(path("text.db"), std::string(5000, 'x'));
  spec.path = path("text.db");
  expect_failure(read_source(spec), ErrorKind::storage, "not a database");
}

// One test, since a server is started for each.
TEST_F(Sources, PostgresqlReadsLikeCsvAndSaysWhatIsWrong) {
  PostgresServer* const server = PostgresServer::shared();
  if (server == nullptr) GTEST_SKIP() << "no PostgreSQL server is installed below /usr/lib/postgresql";
  const std::vector<Row> rows = some_rows();
  ASSERT_TRUE(server->sql("CREATE TABLE trips (card TEXT, ts TIMESTAMP, stop TEXT, n INTEGER, other TEXT);" +
                          insert_statements(rows)));
  SourceSpec spec = all_columns();
  spec.kind = SourceKind::postgresql;
  spec.url = server->url();
  spec.zone = "Europe/Berlin";
  spec.table = "trips";
  SourceSpec csv = file("trips.csv", csv_of(rows));
  csv.zone = spec.zone;
  const auto wanted = read_source(csv);
  ASSERT_TRUE(wanted) << message(wanted);
  expect_table(spec, *wanted);
  spec.table = "public.trips";
  EXPECT_TRUE(read_source(spec));
  spec.table = "";
  // With a zone of its own, whatever the zone of the session.
  spec.query = "SELECT n, stop, ts AT TIME ZONE 'Europe/Berlin' AS ts, card FROM trips ;\n";
  spec.zone = "UTC";
  expect_table(spec, *wanted);

  spec.query = "SELECT 'u' AS card, DATE '2026-03-01' AS ts, NULL AS stop, 3.0 AS n";
  expect_table(spec, Table{{"u"}, {""}, {1772323200000}, {3}});
  spec.query = "SELECT 'u' AS card, 1772323200 AS ts, 'A' AS stop, 1e15::float8 AS n";
  spec.time_format = "epoch";
  expect_table(spec, Table{{"u"}, {"A"}, {1772323200000}, {1'000'000'000'000'000}});
  spec.query = "SELECT * FROM trips WHERE false";
  expect_table(spec, Table{});

  spec.query = "SELECT card, ts, stop FROM trips";
  expect_failure(read_source(spec), ErrorKind::bad_data, "value: column n is not among the 3 of the query's result");
  spec.query = "SELECT card, 'infinity'::timestamp AS ts, stop, n FROM trips";
  spec.time_format = "iso8601";
  expect_failure(read_source(spec), ErrorKind::bad_data, "row 1: column ts: not a time");
  spec.query = "SELECT card, ts, stop, n / (n - n) AS n FROM trips";
  const auto division = read_source(spec);
  expect_failure(division, ErrorKind::bad_data, "after row 0: SQLSTATE 22012");
  spec.query = "SELECT card, ts, stop, n FROM absent";
  expect_failure(read_source(spec), ErrorKind::usage,
                 "query: PostgreSQL refuses it: relation \"absent\" does not exist");
  for (const char* refused :
       {"SELEKT", "DELETE FROM trips", "DELETE FROM trips RETURNING *", "SELECT * FROM trips; DELETE FROM trips",
        "WITH gone AS (DELETE FROM trips RETURNING *) SELECT * FROM gone", "EXPLAIN SELECT * FROM trips", "SHOW ALL",
        "SELECT * INTO others FROM trips", "SELECT *, 'x'::integer FROM trips"}) {
    spec.query = refused;
    const auto read = read_source(spec);
    ASSERT_FALSE(read) << refused;
    EXPECT_EQ(read.error().kind, ErrorKind::usage) << refused << ": " << message(read);
  }
  // Whether a table may be read is known before it is.
  ASSERT_TRUE(server->sql("CREATE ROLE clerk LOGIN; GRANT SELECT (card, ts, stop) ON trips TO clerk"));
  SourceSpec clerk = spec;
  clerk.url.replace(clerk.url.find("user=chronoveil"), 15, "user=clerk");
  clerk.query = "";
  clerk.table = "trips";
  EXPECT_EQ(message(open_source(clerk)), "table: the role of source.url may not read its column n");
  ASSERT_TRUE(server->sql("GRANT SELECT (n) ON trips TO clerk"));
  EXPECT_TRUE(read_source(clerk));

  ASSERT_TRUE(server->sql("CREATE SEQUENCE numbers"));
  spec.query = "SELECT card, ts, stop, nextval('numbers') AS n FROM trips";
  expect_failure(read_source(spec), ErrorKind::storage, "SQLSTATE 25006");  // writing in a read-only transaction
  spec.query = "";
  spec.table = "absent";
  expect_failure(read_source(spec), ErrorKind::usage, "table: PostgreSQL refuses it");
  spec.url = "postgresql:///postgres?user=chronoveil&host=" + folder_.path();
  expect_failure(read_source(spec), ErrorKind::storage, "cannot connect");
}

}  // namespace
}  // namespace chronoveil::data::testing
