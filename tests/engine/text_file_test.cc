#include "chronoveil/engine/job/text_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "support/temporary_folder.h"

namespace chronoveil::engine {
namespace {

TEST(SameFile, IsToldUnderEveryName) {
  namespace fs = std::filesystem;
  const chronoveil::testing::TemporaryFolder temporary;
  const fs::path folder = temporary.path();
  const std::string one = folder / "one", link = folder / "link", other = folder / "other", absent = folder / "absent";
  std::ofstream(one) << "1";
  std::ofstream(other) << "1";
  fs::create_symlink(one, link);
  EXPECT_TRUE(same_file(one, one));
  EXPECT_TRUE(same_file(one, folder / "." / "one"));
  EXPECT_TRUE(same_file(one, fs::relative(one)));
  EXPECT_TRUE(same_file(one, link));
  EXPECT_TRUE(same_file(absent, folder / "x" / ".." / "absent"));
  EXPECT_FALSE(same_file(one, other));
  EXPECT_FALSE(same_file(one, absent));
  EXPECT_FALSE(same_file("-", "-"));
  EXPECT_FALSE(same_file("", ""));
  EXPECT_FALSE(same_file("/dev/null", "/dev/null"));
}

TEST(TextFile, IsReadWholeUpToALimit) {
  const chronoveil::testing::TemporaryFolder temporary;
  const std::string path = temporary.path() + "/keys.txt";
  const auto most = static_cast<std::size_t>(TextSize::written_by_people);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 16, most, most + 1}) {
    std::ofstream(path, std::ios::trunc) << std::string(size, 'a');
    const Result<std::string> text = read_text_file("series.list", path);
    ASSERT_EQ(text.has_value(), size <= most) << size;
    if (text) {
      EXPECT_EQ(text->size(), size);
      continue;
    }
    EXPECT_EQ(text.error().kind, ErrorKind::usage);
    EXPECT_EQ(text.error().text(), "series.list: '" + path + "' is too long; it must be at most 64 MiB");
  }
}

TEST(TextFile, ThatNeverEndsIsRefused) {
  const Result<std::string> text = read_text_file("job", "/dev/zero");
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().kind, ErrorKind::usage);
  EXPECT_NE(text.error().text().find("64 MiB"), std::string::npos) << text.error().text();
}

TEST(TextFile, ThatCannotBeReadIsNamed) {
  for (const char* path : {"/nowhere/at/all", "/"}) {
    const Result<std::string> text = read_text_file("job", path);
    ASSERT_FALSE(text) << path;
    EXPECT_EQ(text.error().kind, ErrorKind::storage);
    EXPECT_NE(text.error().text().find("job: cannot read '"), std::string::npos) << text.error().text();
  }
}

// As `<(command)` gives one: the writer comes late, is slow, and goes.
TEST(TextFile, APipeIsReadToItsEnd) {
  const chronoveil::testing::TemporaryFolder temporary;
  const std::string path = temporary.path() + "/pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::jthread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    std::ofstream pipe(path);
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    for (int i = 0; i < 3; ++i) pipe << std::string(100'000, 'a') << std::flush;
  });
  const Result<std::string> text = read_text_file("series.list", path);
  ASSERT_TRUE(text) << text.error().text();
  EXPECT_EQ(text->size(), 300'000u);
}

}  // namespace
}  // namespace chronoveil::engine
