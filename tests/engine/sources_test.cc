// The same data, wherever it lies, makes the same release.
#include <gtest/gtest.h>
#include <lzma.h>
#include <sqlite3.h>
#include <zlib.h>

#include <sstream>

#include "chronoveil/mechanisms/catalogue.h"
#include "engine/fixtures.h"
#include "support/postgres_server.h"

namespace chronoveil::engine {
namespace {

using chronoveil::testing::PostgresServer;

class SameRelease : public testing::JobFolder {
 protected:
  // The CSVs that jobs over this source release with a fixed seed, one for every mechanism of the catalogue.
  std::string released(const std::string& source) {
    options_.seed = 11;
    Job one = job(job_text(source + "user = \"card\"\ntime = \"ts\"\nseries = \"stop\"\n"));
    one.max_steps = 1;  // so that the choice of what stays matters too
    std::string all;
    for (const mechanisms::SeriesMechanism* mechanism : mechanisms::series_catalogue()) {
      one.mechanism = mechanism->name;
      one.unit = mechanism->units.front();
      const Result<report::Published> done = run_job(one, options_);
      EXPECT_TRUE(done) << mechanism->name << ": " << done.error().text();
      all += one.mechanism + "\n" + (done ? read("out.csv") : "");
    }
    return all;
  }

  static std::string statements(const std::string& type) {
    std::string sql = "CREATE TABLE trips (card TEXT, ts " + type + ", stop TEXT);";
    std::istringstream lines(trips());
    std::string line;
    std::getline(lines, line);
    while (std::getline(lines, line)) {
      const std::size_t first = line.find(','), second = line.find(',', first + 1);
      sql += "INSERT INTO trips VALUES ('" + line.substr(0, first) + "','" +
             line.substr(first + 1, second - first - 1) + "','" + line.substr(second + 1) + "');";
    }
    return sql;
  }
};

TEST_F(SameRelease, FromCsvGzipXzSqliteAndAnyOrderOfRows) {
  write("fewer.csv", trips().substr(0, trips().find("\nc20,") + 1));
  const std::string expected = released("path = \"trips.csv\"\n");
  ASSERT_NE(released("path = \"fewer.csv\"\n"), expected) << "other data make another release";

  gzFile gzip = gzopen(at("trips.csv.gz").c_str(), "wb");
  ASSERT_GT(gzwrite(gzip, trips().data(), static_cast<unsigned>(trips().size())), 0);
  ASSERT_EQ(gzclose(gzip), Z_OK);
  EXPECT_EQ(released("path = \"trips.csv.gz\"\n"), expected);

  std::string xz(lzma_stream_buffer_bound(trips().size()), '\0');
  std::size_t size = 0;
  const std::string text = trips();
  ASSERT_EQ(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const std::uint8_t*>(text.data()),
                                    text.size(), reinterpret_cast<std::uint8_t*>(xz.data()), &size, xz.size()),
            LZMA_OK);
  write("trips.csv.xz", xz.substr(0, size));
  EXPECT_EQ(released("path = \"trips.csv.xz\"\n"), expected);

  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(at("trips.db").c_str(), &database), SQLITE_OK);
  ASSERT_EQ(sqlite3_exec(database, statements("TEXT").c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
  sqlite3_close(database);
  EXPECT_EQ(released("kind = \"sqlite\"\npath = \"trips.db\"\ntable = \"trips\"\n"), expected);
  EXPECT_EQ(released("kind = \"sqlite\"\npath = \"trips.db\"\nquery = \"SELECT * FROM trips ORDER BY random()\"\n"),
            expected);
}

TEST_F(SameRelease, FromPostgresqlAndDebitedInPostgresql) {
  PostgresServer* const server = PostgresServer::shared();
  if (server == nullptr) GTEST_SKIP() << "no PostgreSQL server is installed below /usr/lib/postgresql";
  const std::string expected = released("path = \"trips.csv\"\n");
  ASSERT_TRUE(server->sql(statements("TIMESTAMP")));
  const std::string source = "kind = \"postgresql\"\nurl = \"" + server->url() + "\"\ntable = \"trips\"\n";
  EXPECT_EQ(released(source), expected);

  options_.seed.reset();
  options_.ledger = server->url();
  ASSERT_EQ(::setenv("XDG_DATA_HOME", at("data").c_str(), 1), 0);
  create_dataset();
  ASSERT_TRUE(run_job(job(), options_));
  const std::string csv = read("out.csv");
  std::filesystem::remove(at("out.csv"));
  EXPECT_EQ(debits().size(), 1U);
  const Result<report::Published> again = run_again(job(), "city:1", options_);
  EXPECT_TRUE(again) << again.error().text();
  EXPECT_EQ(read("out.csv"), csv);
  EXPECT_FALSE(std::filesystem::is_empty(at("data/chronoveil")));
  ::unsetenv("XDG_DATA_HOME");
}

}  // namespace
}  // namespace chronoveil::engine
