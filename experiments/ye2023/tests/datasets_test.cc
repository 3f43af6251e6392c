#include "ye2023/datasets.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace chronoveil::ye2023 {
namespace {

// A folder that goes away, with files that need not be compressed: readers go by the first bytes.
class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / "ye2023_XXXXXX") {
    std::string name = path_.string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(ReadPrices, TakesTheCloseOfEveryDay) {
  const Folder folder;
  folder.write("stocks/ge.us.txt.xz",
               "Date,Open,High,Low,Close,Volume,OpenInt\n1962-01-02,0.1,0.2,0.3,0.62,5,0\n1962-01-03,1,1,1,0.5,7,0\n");
  const auto prices = read_prices(folder.path());
  ASSERT_TRUE(prices) << prices.error().text();
  EXPECT_EQ(*prices, (std::vector<double>{0.62, 0.5}));
}

TEST(WentUp, ComparesWithTheDayBeforeAndTakesUnchangedAsNotUp) {
  EXPECT_EQ(went_up({1, 2, 2, 1, 3}), (std::vector<bool>{true, false, false, true}));
}

std::string fixes(int first, int number, const std::string& latitude) {
  std::string lines;
  for (int i = 0; i < number; ++i) lines += latitude + " -122.4 0 " + std::to_string(first + 60 * i) + "\n";
  return lines;
}

TEST(ReadTrajectories, SortsByTimeAndCutsAtSilenceAndEvery300Places) {
  const Folder folder;
  // Newest first: 299 places after a silence of an hour, which are too few, before that 650 that make two pieces.
  folder.write("cabs/new_abboip.txt.xz", fixes(100'000, 299, "37.8") + fixes(0, 650, "37.7"));
  for (const char* cab : {"aiwalb", "akgicjud", "ugthfu", "uvreoipy"})
    folder.write(std::string("cabs/new_") + cab + ".txt.xz", fixes(0, 10, "37.9"));
  const auto trajectories = read_trajectories(folder.path());
  ASSERT_TRUE(trajectories) << trajectories.error().text();
  ASSERT_EQ(trajectories->size(), 2U);
  for (const Trajectory& each : *trajectories) {
    EXPECT_EQ(each.size(), kTrajectorySteps);
    EXPECT_EQ(each.front().latitude, 37.7);
    EXPECT_EQ(each.back().longitude, -122.4);
  }
}

TEST(ReadTrajectories, FailsWhereACabIsMissing) { EXPECT_FALSE(read_trajectories("/nonexistent")); }

}  // namespace
}  // namespace chronoveil::ye2023
