#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "chronoveil/simulate/worlds.h"

namespace chronoveil::simulate {
namespace {

namespace fs = std::filesystem;

class MakeWorld : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const char* name) const { return (folder_ / name).string(); }
  static std::string read(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  static auto lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("chronoveil_make_world_" + std::to_string(::getpid()));
  const World small_ = Traffic{.people = 50, .sensors = 3, .period = {"Europe/Berlin", "2026-03-02", 2}};
};

TEST_F(MakeWorld, WritesTheFilesThatAreAskedFor) {
  const Files files{.rows = at("rows.csv"), .truth = at("truth.csv"), .keys = at("keys.txt"), .job = at("job.toml")};
  const Result<Made> made = make_world(small_, 1, files);
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->series, 3);
  EXPECT_EQ(made->slots, 48);
  EXPECT_EQ(lines(read(files.rows)), made->rows + 1);
  EXPECT_EQ(lines(read(files.truth)), 3 * 48 + 1);
  EXPECT_EQ(lines(read(files.keys)), 3);
  const std::string job = read(files.job);
  for (const char* named : {"\"rows.csv\"", "\"keys.txt\"", "\"job_release.csv\""})
    EXPECT_NE(job.find(named), std::string::npos) << named << " as seen from the job's folder\n" << job;
}

TEST_F(MakeWorld, OneSeriesWithoutANameIsOneSeries) {
  const Result<Made> made = make_world(Flu{.weeks = 10}, 1, {.rows = at("flu.csv")});
  ASSERT_TRUE(made) << made.error().text();
  EXPECT_EQ(made->series, 1);
  EXPECT_EQ(made->rows, 10);
}

TEST_F(MakeWorld, AnErrorNamesTheFileAndLeavesNone) {
  const Result<Made> made = make_world(small_, 1, {.rows = at("rows.csv"), .truth = at("missing/truth.csv")});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().parameter, "run.truth");
  EXPECT_FALSE(fs::exists(at("rows.csv")));
}

}  // namespace
}  // namespace chronoveil::simulate
