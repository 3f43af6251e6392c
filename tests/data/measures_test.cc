// Records with a value of which means are made, and with a place or a point: every kind of source reads them alike.
#include <sqlite3.h>

#include <charconv>
#include <cstdio>
#include <random>

#include "chronoveil/data/row_decoder.h"
#include "compressing.h"
#include "reading.h"
#include "support/postgres_server.h"
#include "support/temporary_folder.h"

namespace chronoveil::data::testing {
namespace {

using chronoveil::testing::PostgresServer;
using chronoveil::testing::TemporaryFolder;

constexpr std::int64_t kMarch = 1772323200000;  // 2026-03-01T00:00Z

SourceSpec in_places() {
  SourceSpec spec;
  spec.user = "bus";
  spec.time = "ts";
  spec.series = "hexagon";
  spec.measure = "speed";
  return spec;
}

SourceSpec at_points() {
  SourceSpec spec = in_places();
  spec.series = std::nullopt;
  spec.longitude = "lon";
  spec.latitude = "lat";
  return spec;
}

TEST(Measures, ComeWithAPlace) {
  const auto table = read_csv(
      "speed,hexagon,ts,bus\n20.5,r1c2,2026-03-01,b1\n-3,\"r2,c1\",2026-03-01,b2\n\"1e1\",r1c2,2026-03-01,b1\n",
      in_places());
  ASSERT_TRUE(table) << message(table);
  EXPECT_EQ(*table,
            (Table{{"b1", "b2", "b1"}, {"r1c2", "r2,c1", "r1c2"}, {kMarch, kMarch, kMarch}, {}, {20.5, -3, 10}}));
}

TEST(Measures, ComeWithAPoint) {
  const auto table =
      read_csv("bus,ts,lat,lon,speed\nb1,2026-03-01,21.17,72.83,20.5\nb2,2026-03-01,-0.5,-180,0\n", at_points());
  ASSERT_TRUE(table) << message(table);
  EXPECT_EQ(*table, (Table{{"b1", "b2"}, {}, {kMarch, kMarch}, {}, {20.5, 0}, {72.83, -180}, {21.17, -0.5}}));
}

TEST(Measures, ComeWithoutAPlaceWhereThereIsOneAlone) {
  SourceSpec spec = in_places();
  spec.series = std::nullopt;
  const auto table = read_csv("bus,ts,speed\nb1,2026-03-01,0.1\n", spec);
  ASSERT_TRUE(table) << message(table);
  EXPECT_EQ(*table, (Table{{"b1"}, {}, {kMarch}, {}, {0.1}}));
}

TEST(Measures, AreFoundByNumberWithoutAHeader) {
  SourceSpec spec;
  spec.header = false;
  spec.user = "1";
  spec.time = "2";
  spec.measure = "5";
  spec.longitude = "3";
  spec.latitude = "4";
  const auto table = read_csv("b1,2026-03-01,72.5,21.5,20\nb1,2026-03-01,72.5,21.5,30\n", spec);
  ASSERT_TRUE(table) << message(table);
  EXPECT_EQ(*table, (Table{{"b1", "b1"}, {}, {kMarch, kMarch}, {}, {20, 30}, {72.5, 72.5}, {21.5, 21.5}}));
  expect_failure(read_csv("b1,2026-03-01,72.5,21.5\n", spec), ErrorKind::bad_data, "value: there is no column 5");
}

TEST(Measures, ThatAreNoNumbersAreRefusedWithRowAndColumnAndWithoutTheirText) {
  const std::pair<const char*, const char*> kBad[] = {
      {"", "empty; it must be a number"},
      {"fast", "not a number; decimals have a point, and no unit follows"},
      {"12km", "not a number; decimals have a point, and no unit follows"},
      {"NaN", "not a number; decimals have a point, and no unit follows"},
      {"7,5", "has a comma; numbers have a point before their decimals"},
      {"inf", "not a finite number"},
      {"1e999", "not a finite number"},
      {"+12", "not a number; decimals have a point, and no unit follows"},
  };
  for (const auto& [text, why] : kBad) {
    const std::string quoted = '"' + std::string(text) + '"';
    const auto place = read_csv("bus,ts,hexagon,speed\nb,2026-03-01,A,1\nb,2026-03-01,A," + quoted + "\n", in_places());
    expect_failure(place, ErrorKind::bad_data, "row 2 (line 3): column speed: " + std::string(why));
    const std::string head = "bus,ts,lon,lat,speed\nb,2026-03-01,72,21,1\nb,2026-03-01,";
    const auto longitude = read_csv(head + quoted + ",21,1\n", at_points());
    expect_failure(longitude, ErrorKind::bad_data, "row 2 (line 3): column lon: " + std::string(why));
    const auto latitude = read_csv(head + "72," + quoted + ",1\n", at_points());
    expect_failure(latitude, ErrorKind::bad_data, "row 2 (line 3): column lat: " + std::string(why));
    if (std::string_view(text).size() < 4) continue;  // "inf" is part of "finite"
    for (const auto* read : {&place, &longitude, &latitude}) {
      EXPECT_EQ(message(*read).find(text), std::string::npos) << message(*read);
    }
  }
}

TEST(Measures, NeedAUserAndAPlaceInEveryRecord) {
  const std::string head = "bus,ts,hexagon,speed\nb,2026-03-01,A,1\n";
  expect_failure(read_csv(head + "b,2026-03-01,,1\n", in_places()), ErrorKind::bad_data,
                 "row 2 (line 3): column hexagon: empty; every record needs a place");
  expect_failure(read_csv(head + "b,2026-03-01,\"\",1\n", in_places()), ErrorKind::bad_data,
                 "row 2 (line 3): column hexagon: empty");
  expect_failure(read_csv(head + ",2026-03-01,A,1\n", in_places()), ErrorKind::bad_data,
                 "row 2 (line 3): column bus: empty");
  SourceSpec counts = in_places();  // where rows are counted, a record without a series is one that is not listed
  counts.measure = std::nullopt;
  const auto table = read_csv(head + "b,2026-03-01,,1\n", counts);
  ASSERT_TRUE(table) << message(table);
  EXPECT_EQ(table->series, (std::vector<std::string>{"A", ""}));
}

TEST(Measures, MissingColumnsAreNamedByTheKeysOfTheJob) {
  expect_failure(read_csv("bus,ts,hexagon\n", in_places()), ErrorKind::bad_data,
                 "value: column speed is not among the 3 of the header");
  expect_failure(read_csv("bus,ts,speed\n", in_places()), ErrorKind::bad_data, "place: column hexagon is not among");
  expect_failure(read_csv("bus,ts,speed,lat\n", at_points()), ErrorKind::bad_data, "longitude: column lon is not");
  expect_failure(read_csv("bus,ts,speed,lon,lat,lat\n", at_points()), ErrorKind::bad_data,
                 "latitude: column lat is there more than once");
}

TEST(Measures, ColumnsThatDoNotGoTogetherAreUsageErrors) {
  SourceSpec spec = in_places();
  spec.value = "n";
  expect_failure(RowDecoder::make(spec), ErrorKind::usage, "source.value: ");
  spec = at_points();
  spec.series = "hexagon";
  expect_failure(RowDecoder::make(spec), ErrorKind::usage, "source.longitude: ");
  spec = at_points();
  spec.longitude = std::nullopt;
  expect_failure(RowDecoder::make(spec), ErrorKind::usage, "source.longitude: it is missing");
  spec = at_points();
  spec.latitude = std::nullopt;
  expect_failure(RowDecoder::make(spec), ErrorKind::usage, "source.latitude: it is missing");
  for (auto SourceSpec::*column : {&SourceSpec::measure, &SourceSpec::longitude, &SourceSpec::latitude}) {
    spec = at_points();
    spec.*column = "";
    expect_failure(RowDecoder::make(spec), ErrorKind::usage, "must not be empty");
  }
}

// A refused row leaves the batch as it was, wherever in the row the fault is.
TEST(Measures, ARefusedRowLeavesNothingBehind) {
  auto decoder = RowDecoder::make(at_points());
  ASSERT_TRUE(decoder) << message(decoder);
  RecordBatch batch;
  RowDecoder::begin(batch, 1);
  RowFields good;
  good.user = "b";
  good.time = "2026-03-01";
  good.measure = good.longitude = good.latitude = "1";
  ASSERT_TRUE(decoder->add(good, batch));
  for (auto RowFields::*field :
       {&RowFields::user, &RowFields::time, &RowFields::measure, &RowFields::longitude, &RowFields::latitude}) {
    RowFields bad = good;
    bad.*field = "";
    EXPECT_FALSE(decoder->add(bad, batch));
  }
  ASSERT_TRUE(decoder->add(good, batch));
  EXPECT_EQ(batch.rows(), 2U);
  EXPECT_EQ(batch.user.size(), 2U);
  EXPECT_EQ(batch.measure.size(), 2U);
  EXPECT_EQ(batch.longitude.size(), 2U);
  EXPECT_EQ(batch.latitude.size(), 2U);
  RowDecoder::begin(batch, 3);
  EXPECT_EQ(batch.rows() + batch.measure.size() + batch.longitude.size() + batch.latitude.size(), 0U);
}

struct Row {
  std::string user, time, place;
  std::string speed, longitude, latitude;  // the shortest texts of doubles with all their digits
};

std::string shortest_text(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

// Enough rows for several batches and windows.
std::vector<Row> some_rows() {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> uniform;
  std::vector<Row> rows;
  for (int i = 0; i < 10'000; ++i) {
    char time[32];
    std::snprintf(time, sizeof time, "2026-03-%02u %02u:00:00", static_cast<unsigned>(1 + random() % 28),
                  static_cast<unsigned>(random() % 24));
    rows.push_back({"b" + std::to_string(random() % 300), time, "r" + std::to_string(random() % 40) + "c7",
                    shortest_text(i % 5 == 0 ? 20 : 65 * uniform(random) - 1e-3), shortest_text(72 + uniform(random)),
                    shortest_text(-uniform(random) * 1e-7)});
  }
  return rows;
}

std::string csv_of(const std::vector<Row>& rows) {
  std::string text = "bus,ts,hexagon,speed,lon,lat\n";
  for (const Row& row : rows) {
    text +=
        row.user + ',' + row.time + ',' + row.place + ',' + row.speed + ',' + row.longitude + ',' + row.latitude + '\n';
  }
  return text;
}

std::string insert_statements(const std::vector<Row>& rows) {
  std::string sql;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    sql += (i % 1000 == 0 ? (i == 0 ? "" : ";") + std::string("INSERT INTO rides VALUES ") : std::string(",")) + "('" +
           row.user + "','" + row.time + "','" + row.place + "'," + row.speed + ",'" + row.longitude + "'," +
           row.latitude + ")";
  }
  return sql;
}

// The doubles are bound, not written: SQLite's own reader of decimals may be off by one in the last place.
void make_sqlite(const std::string& path, const std::vector<Row>& rows) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  ASSERT_EQ(
      sqlite3_exec(database, "CREATE TABLE rides (bus TEXT, ts TEXT, hexagon TEXT, speed REAL, lon TEXT, lat); BEGIN",
                   nullptr, nullptr, nullptr),
      SQLITE_OK);
  sqlite3_stmt* insert = nullptr;
  ASSERT_EQ(sqlite3_prepare_v2(database, "INSERT INTO rides VALUES (?, ?, ?, ?, ?, ?)", -1, &insert, nullptr),
            SQLITE_OK);
  for (const Row& row : rows) {
    int column = 0;
    for (const std::string* text : {&row.user, &row.time, &row.place}) {
      sqlite3_bind_text(insert, ++column, text->c_str(), -1, SQLITE_STATIC);
    }
    sqlite3_bind_double(insert, ++column, std::stod(row.speed));
    sqlite3_bind_text(insert, ++column, row.longitude.c_str(), -1, SQLITE_STATIC);
    sqlite3_bind_double(insert, ++column, std::stod(row.latitude));
    ASSERT_EQ(sqlite3_step(insert), SQLITE_DONE);
    sqlite3_reset(insert);
  }
  sqlite3_finalize(insert);
  ASSERT_EQ(sqlite3_exec(database, "COMMIT", nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
}

class MeasureSources : public ::testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }

  // What a plain CSV gives, by place and by point.
  void SetUp() override {
    write_file(path("rides.csv"), csv_of(rows_));
    for (const auto& [spec, wanted] : {std::pair{in_places(), &placed_}, std::pair{at_points(), &pointed_}}) {
      SourceSpec csv = spec;
      csv.path = path("rides.csv");
      auto read = read_source(csv);
      ASSERT_TRUE(read) << message(read);
      ASSERT_EQ(read->measure.size(), rows_.size());
      *wanted = std::move(*read);
    }
    ASSERT_EQ(shortest_text(placed_.measure[1]), rows_[1].speed);
    ASSERT_EQ(shortest_text(pointed_.longitude[1]), rows_[1].longitude);
    ASSERT_EQ(shortest_text(pointed_.latitude[1]), rows_[1].latitude);
  }

  void expect_the_same(SourceSpec spec) const {
    expect_table(spec, placed_);
    spec.series = std::nullopt;
    spec.longitude = "lon";
    spec.latitude = "lat";
    expect_table(spec, pointed_);
  }

  // Speeds as SQL has them, each with what is said of it; and a place that is none.
  static void expect_refused(SourceSpec spec, const std::vector<std::pair<std::string, const char*>>& speeds) {
    spec.table = "";
    for (const auto& [speed, part] : speeds) {
      spec.query = "SELECT bus, ts, hexagon, " + speed + " AS speed FROM rides";
      const auto read = read_source(spec);
      expect_failure(read, ErrorKind::bad_data, part);
      EXPECT_EQ(message(read).find("secret"), std::string::npos);
    }
    spec.query = "SELECT bus, ts, NULL AS hexagon, speed FROM rides";
    expect_failure(read_source(spec), ErrorKind::bad_data, "row 1: column hexagon: empty; every record needs a place");
  }

  TemporaryFolder folder_;
  const std::vector<Row> rows_ = some_rows();
  Table placed_, pointed_;
};

TEST_F(MeasureSources, CompressedFilesReadLikePlainOnes) {
  for (const std::string& bytes : {gzip(csv_of(rows_)), xz(csv_of(rows_))}) {
    write_file(path("rides.any"), bytes);
    SourceSpec spec = in_places();
    spec.path = path("rides.any");
    expect_the_same(spec);
  }
}

TEST_F(MeasureSources, SqliteReadsLikeCsvWithAllDigits) {
  SourceSpec spec = in_places();
  spec.kind = SourceKind::sqlite;
  spec.path = path("rides.db");
  make_sqlite(spec.path, rows_);
  spec.table = "rides";
  expect_the_same(spec);
  expect_refused(spec, {{"NULL", "row 1: column speed: empty"},
                        {"'secret'", "row 1: column speed: not a number"},
                        {"9e999", "row 1: column speed: not a finite number"}});
}

TEST_F(MeasureSources, PostgresqlReadsLikeCsvWithAllDigits) {
  PostgresServer* const server = PostgresServer::shared();
  if (server == nullptr) GTEST_SKIP() << "no PostgreSQL server is installed below /usr/lib/postgresql";
  ASSERT_TRUE(
      server->sql("CREATE TABLE rides (bus TEXT, ts TIMESTAMP, hexagon TEXT, speed FLOAT8, lon NUMERIC, lat "
                  "FLOAT8);" +
                  insert_statements(rows_)));
  SourceSpec spec = in_places();
  spec.kind = SourceKind::postgresql;
  spec.url = server->url();
  spec.table = "rides";
  expect_the_same(spec);
  // Whatever the server or the role would have them rounded to.
  ASSERT_TRUE(server->sql("ALTER DATABASE postgres SET extra_float_digits = -5"));
  expect_the_same(spec);
  ASSERT_TRUE(server->sql("ALTER DATABASE postgres RESET extra_float_digits"));
  expect_refused(spec, {{"NULL", "row 1: column speed: empty"},
                        {"'NaN'::float8", "row 1: column speed: not a number"},
                        {"'-Infinity'::float8", "row 1: column speed: not a finite number"},
                        {"'secret'", "row 1: column speed: not a number"}});
}

}  // namespace
}  // namespace chronoveil::data::testing
