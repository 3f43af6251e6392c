// What doors ask of the library besides releases: a new dataset in words, the columns of a job, rows as lines of a CSV.
#include <gtest/gtest.h>

#include <filesystem>

#include "arrow_rows.h"
#include "chronoveil/chronoveil.h"
#include "support/temporary_folder.h"

namespace chronoveil {
namespace {

DatasetWords words(const std::function<void(DatasetWords&)>& change) {
  DatasetWords all;
  all.name = "city";
  all.epsilon = 1;
  change(all);
  return all;
}

TEST(ANewDataset, IsRefusedByNameWithoutALedger) {
  const testing::TemporaryFolder folder;
  const std::string ledger = folder.path() + "/ledger.db";
  const std::vector<std::pair<std::string, DatasetWords>> refused = {
      {"straddle", words([](DatasetWords& all) { all.straddle = 2; })},
      {"window", words([](DatasetWords& all) { all.relation = "swap"; })},
      {"window", words([](DatasetWords& all) { all.window = 4; })},
      {"width", words([](DatasetWords& all) { all.relation = "swap", all.window = 4, all.width = 2; })},
      {"parts", words([](DatasetWords& all) {
         all.unit = "event";
         all.parts = {"a", "b"};
         all.parts_by = "day";
       })},
      {"parts_by", words([](DatasetWords& all) { all.unit = "event", all.parts_by = "hour"; })},
      {"parts", words([](DatasetWords& all) { all.unit = "event", all.parts = {"a\nb"}; })},
      {"dataset", words([](DatasetWords& all) { all.name = ".."; })},
  };
  for (const auto& [parameter, asked] : refused) {
    const Result<ledger::Dataset> made = create_dataset(asked, ledger);
    ASSERT_FALSE(made) << parameter;
    EXPECT_EQ(made.error().kind, ErrorKind::usage) << parameter;
    EXPECT_EQ(made.error().parameter, parameter) << made.error().text();
    EXPECT_FALSE(std::filesystem::exists(ledger)) << parameter;
  }
}

TEST(ANewDataset, OfSwapsIsOfEventsAndHasItsWindow) {
  const testing::TemporaryFolder folder;
  const auto swap = words([](DatasetWords& all) { all.relation = "swap", all.window = 4; });
  const Result<ledger::Dataset> made = create_dataset(swap, folder.path() + "/ledger.db");
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->promise.unit, Unit::event);
  EXPECT_EQ(made->promise.width, 4);
  const Result<ledger::Dataset> again = create_dataset(swap, folder.path() + "/ledger.db");
  EXPECT_FALSE(again);
}

constexpr const char* kJob = R"(version = 1
[dataset]
name = "city"
[source]
kind = "memory"
user = "card"
[slots]
start = "2026-03-01"
end = "2026-03-02"
length = "1h"
[privacy]
max_steps = 2
epsilon = 1.0
[output]
csv = "out.csv"
)";

TEST(ColumnsRead, HaveTheTimesThatNobodyNamed) {
  const Result<Job> job = parse_job(kJob);
  ASSERT_TRUE(job) << job.error().text();
  const auto columns = columns_read(*job);
  ASSERT_TRUE(columns) << columns.error().text();
  EXPECT_EQ(**columns, (std::vector<std::string>{"card", "time"}));
}

TEST(ColumnsRead, AreAllOfAPerturbation) {
  const Result<Job> job = parse_job(R"(version = 1
[dataset]
name = "meter"
[source]
kind = "memory"
[perturb]
keep = ["tariff"]
[privacy]
window = 4
epsilon = 1.0
[output]
csv = "out.csv"
)");
  ASSERT_TRUE(job) << job.error().text();
  const auto columns = columns_read(*job);
  ASSERT_TRUE(columns) << columns.error().text();
  EXPECT_FALSE(*columns);
}

std::string all_lines(CsvLines& lines) {
  std::string text = lines.header();
  while (true) {
    const Result<std::string_view> piece = lines.next();
    EXPECT_TRUE(piece) << piece.error().text();
    if (!piece || piece->empty()) return text;
    text += *piece;
  }
}

TEST(LinesOfACsv, AreThoseOfTheRowsAndAskForNoneBefore) {
  std::string csv = "who,time,value\n";
  for (int row = 0; row < 20'000; ++row) csv += "p" + std::to_string(row) + ",2026-03-01T00:00,1.5\n";
  testing::MadeStream made = testing::stream_of(csv, 7);
  ArrowArrayStream stream = made.stream();
  Result<CsvLines> lines = CsvLines::open(stream, std::nullopt);
  ASSERT_TRUE(lines) << lines.error().text();
  EXPECT_EQ(lines->header(), "who,time,value\n");
  EXPECT_EQ(made.asked, 0);
  EXPECT_EQ(all_lines(*lines), csv);
  EXPECT_EQ(made.batches_released, made.asked);
}

TEST(LinesOfACsv, AreOfTheColumnsThatAreWanted) {
  testing::MadeStream made = testing::stream_of("a,b,c\n1,2,3\n4,5,6\n", 1);
  ArrowArrayStream stream = made.stream();
  Result<CsvLines> lines = CsvLines::open(stream, std::vector<std::string>{"c", "a"});
  ASSERT_TRUE(lines) << lines.error().text();
  EXPECT_EQ(all_lines(*lines), "c,a\n3,1\n6,4\n");
  testing::MadeStream other = testing::stream_of("a,b\n1,2\n", 1);
  ArrowArrayStream another = other.stream();
  const Result<CsvLines> none = CsvLines::open(another, std::vector<std::string>{"x"});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::bad_data);
  EXPECT_EQ(other.asked, 0);
}

}  // namespace
}  // namespace chronoveil
