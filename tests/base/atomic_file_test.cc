#include "chronoveil/base/system/atomic_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace chronoveil {
namespace {

namespace fs = std::filesystem;

class AtomicFile : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "chronoveil-atomic-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }
  std::string read(const std::string& name) const {
    std::ifstream file(at(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::ptrdiff_t entries() const { return std::distance(fs::directory_iterator(folder_), fs::directory_iterator()); }

  fs::path folder_;
};

TEST_F(AtomicFile, EveryFileIsThereWithItsTextAndNothingElse) {
  ASSERT_TRUE(write_files({{at("a"), "one\n"}, {at("b"), std::string(1 << 20, 'x')}}));
  EXPECT_EQ(read("a"), "one\n");
  EXPECT_EQ(read("b"), std::string(1 << 20, 'x'));
  EXPECT_EQ(entries(), 2);
}

TEST_F(AtomicFile, AFileThatWasThereIsReplacedWhole) {
  std::ofstream(at("a")) << "a much longer text than the new one";
  ASSERT_TRUE(write_files({{at("a"), "new"}}));
  EXPECT_EQ(read("a"), "new");
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFile, ADatabaseIsNeverReplaced) {
  const std::string database = std::string("SQLite format 3\0", 16) + "pages";
  std::ofstream(at("ledger.db"), std::ios::binary) << database;
  fs::create_symlink(at("ledger.db"), at("link"));
  for (const char* name : {"ledger.db", "link"}) {
    EXPECT_FALSE(check_writable("output.csv", at(name))) << name;
    const Result<void> done = write_files({{at("a"), "new"}, {at(name), "new"}});
    ASSERT_FALSE(done) << name;
    EXPECT_EQ(done.error().kind, ErrorKind::storage);
    EXPECT_NE(done.error().text().find("perhaps a ledger"), std::string::npos) << done.error().text();
  }
  EXPECT_EQ(read("ledger.db"), database);
  EXPECT_FALSE(fs::exists(at("a")));
  std::ofstream(at("text")) << "SQLite format";
  EXPECT_TRUE(write_files({{at("text"), "new"}}));
}

TEST_F(AtomicFile, AnErrorInOneLeavesNone) {
  std::ofstream(at("a")) << "old";
  const Result<void> done = write_files({{at("a"), "new"}, {at("nowhere/b"), "new"}});
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::storage);
  EXPECT_NE(done.error().text().find("nowhere/b"), std::string::npos) << done.error().text();
  EXPECT_EQ(read("a"), "old");
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFile, TheModeIsWhatWasAskedLessTheUmask) {
  const mode_t before = ::umask(027);
  ASSERT_TRUE(write_files({{at("a"), ""}, {at("secret"), "", 0600}}));
  ::umask(before);
  struct stat found {};
  ASSERT_EQ(::stat(at("a").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0640U);
  ASSERT_EQ(::stat(at("secret").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0600U);
}

TEST_F(AtomicFile, ALinkKeepsItsNameAndItsTargetIsReplaced) {
  std::ofstream(at("target")) << "old";
  fs::create_symlink("target", at("link"));
  ASSERT_TRUE(write_files({{at("link"), "new"}}));
  EXPECT_TRUE(fs::is_symlink(at("link")));
  EXPECT_EQ(read("target"), "new");
  EXPECT_EQ(entries(), 2);
}

TEST_F(AtomicFile, APipeIsWrittenToInPlace) {
  ASSERT_EQ(::mkfifo(at("pipe").c_str(), 0600), 0);
  const int reader = ::open(at("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ASSERT_TRUE(check_writable("csv", at("pipe")));
  ASSERT_TRUE(write_files({{at("pipe"), "text"}}));
  char buffer[16] = {};
  EXPECT_EQ(::read(reader, buffer, sizeof buffer), 4);
  EXPECT_STREQ(buffer, "text");
  ::close(reader);
  EXPECT_TRUE(fs::is_fifo(at("pipe")));
}

TEST_F(AtomicFile, CheckingLeavesNothingBehind) {
  EXPECT_TRUE(check_writable("csv", at("a")));
  EXPECT_TRUE(check_writable("csv", "-"));
  EXPECT_EQ(entries(), 0);
  std::ofstream(at("a")) << "old";
  EXPECT_TRUE(check_writable("csv", at("a")));
  EXPECT_EQ(read("a"), "old");
}

TEST_F(AtomicFile, WhatCannotBeWrittenIsNamed) {
  std::ofstream(at("file")) << "";
  for (const std::string& path : {at("nowhere/a"), at("file/a"), folder_.string()}) {
    const Result<void> done = check_writable("output.csv", path);
    ASSERT_FALSE(done) << path;
    EXPECT_EQ(done.error().kind, ErrorKind::storage);
    EXPECT_EQ(done.error().text().find("output.csv: '" + path + "' cannot be written"), 0U) << done.error().text();
  }
  EXPECT_FALSE(check_writable("output.csv", ""));
}

TEST_F(AtomicFile, WhatMayNotBeReplacedIsNot) {
  ASSERT_TRUE(write_files({{at("a"), "first", 0600, false}}));
  const Result<void> second = write_files({{at("a"), "second", 0600, false}});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().kind, ErrorKind::storage);
  EXPECT_NE(second.error().text().find("is there already"), std::string::npos) << second.error().text();
  EXPECT_EQ(read("a"), "first");
  EXPECT_EQ(entries(), 1);
}

TEST_F(AtomicFile, WhatAKillLeftIsRemovedByTheNextWrite) {
  std::ofstream(at("a")) << "old";
  std::ofstream(at(".a.chronoveil-tmp")) << "half of";
  ASSERT_TRUE(write_files({{at("a"), "new"}}));
  EXPECT_EQ(read("a"), "new");
  EXPECT_EQ(entries(), 1);
}

// Opening it would wait for a reader or writer for ever.
TEST_F(AtomicFile, APipeAtTheTemporaryNameIsNotWaitedFor) {
  std::ofstream(at("a")) << "old";
  ASSERT_EQ(::mkfifo(at(".a.chronoveil-tmp").c_str(), 0600), 0);
  ASSERT_TRUE(write_files({{at("a"), "new"}}));
  EXPECT_EQ(read("a"), "new");
  EXPECT_EQ(entries(), 1);
}

// A file of another process at that name is not taken away: we wait for it.
TEST_F(AtomicFile, SeveralWritersOfOneNameEachSucceedAndTheLastIsWhole) {
  std::ofstream(at("a")) << "old";
  std::vector<pid_t> children;
  for (int writer = 0; writer < 4; ++writer) {
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string text(50'000, static_cast<char>('0' + writer));
      for (int i = 0; i < 50; ++i)
        if (!write_files({{at("a"), text}})) ::_exit(1);
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  const std::string text = read("a");
  EXPECT_EQ(text.size(), 50'000U);
  EXPECT_EQ(text, std::string(50'000, text[0]));
  EXPECT_EQ(entries(), 1);
}

// A child writes over and over until it is killed; what is there afterwards is whole, whenever that was.
TEST_F(AtomicFile, AKillAtAnyMomentLeavesTheOldFileOrTheNewOne) {
  const std::string one(100'000, '1'), two(100'000, '2');
  ASSERT_TRUE(write_files({{at("a"), one}, {at("b"), one}}));
  for (int round = 0; round < 20; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      for (;;) {
        if (!write_files({{at("a"), two}, {at("b"), two}}) || !write_files({{at("a"), one}, {at("b"), one}}))
          ::_exit(1);
      }
    }
    ::usleep(static_cast<useconds_t>(1000 + 700 * round));
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    for (const char* name : {"a", "b"}) {
      const std::string text = read(name);
      EXPECT_TRUE(text == one || text == two) << name << " holds " << text.size() << " bytes";
    }
  }
}

}  // namespace
}  // namespace chronoveil
