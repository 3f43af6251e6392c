#include "chronoveil/simulate/text_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace chronoveil::simulate {
namespace {

class TextFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(testing::TempDir()) / ("chronoveil_text_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  static std::string content(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_;
};

TEST_F(TextFiles, TextOfAnyLengthArrivesWhole) {
  std::string all;
  {
    Result<TextFile> file = TextFile::create("--output", path("a"));
    ASSERT_TRUE(file);
    for (int i = 0; i < 100000; ++i) {
      const std::string line = std::to_string(i) + "\n";
      file->append(line);
      all += line;
    }
    const std::string large(1 << 20, 'x');
    file->append(large);
    ASSERT_TRUE(file->commit());
    all += large;
  }
  EXPECT_EQ(content(path("a")), all);
  EXPECT_EQ(files(), 1u);
}

TEST_F(TextFiles, WhatIsNotCommittedLeavesTheOldFileAndNoOther) {
  std::ofstream(path("a")) << "old";
  {
    Result<TextFile> file = TextFile::create("--output", path("a"));
    ASSERT_TRUE(file);
    file->append(std::string(1 << 20, 'x'));
  }
  EXPECT_EQ(content(path("a")), "old");
  EXPECT_EQ(files(), 1u);
}

TEST_F(TextFiles, ACommittedFileReplacesTheOldOne) {
  std::ofstream(path("a")) << "old";
  {
    Result<TextFile> file = TextFile::create("--output", path("a"));
    ASSERT_TRUE(file);
    file->append("new");
    ASSERT_TRUE(file->commit());
  }
  EXPECT_EQ(content(path("a")), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(TextFiles, AFolderThatIsNotThereIsAStorageErrorThatNamesTheOption) {
  const auto got = TextFile::create("--truth", path("missing/a"));
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().kind, ErrorKind::storage);
  EXPECT_EQ(got.error().text().rfind("--truth:", 0), 0u) << got.error().text();
}

TEST_F(TextFiles, AFullDeviceIsAStorageErrorAtTheCommit) {
  Result<TextFile> file = TextFile::create("--output", "/dev/full");
  ASSERT_TRUE(file);
  file->append(std::string(1 << 20, 'x'));
  EXPECT_FALSE(file->good());
  const auto done = file->commit();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::storage);
}

}  // namespace
}  // namespace chronoveil::simulate
