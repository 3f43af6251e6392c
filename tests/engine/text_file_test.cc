#include "chronoveil/engine/text_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/temporary_folder.h"

namespace chronoveil::engine {
namespace {

using namespace std::string_view_literals;

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

TEST(Utf8, WellFormedTextIsTold) {
  for (const std::string_view text : {""sv, "north"sv, "Süd"sv, "\xe2\x82\xac"sv, "\xf0\x9f\x9a\x8c"sv, "\0"sv,
                                      "\xed\x9f\xbf"sv, "\xee\x80\x80"sv, "\xf4\x8f\xbf\xbf"sv})
    EXPECT_TRUE(is_utf8(text)) << text;
}

TEST(Utf8, OverlongFormsSurrogatesAndWhatIsCutOffAreNone) {
  for (const std::string_view text :
       {"\xff"sv, "nor\xfeth"sv, "\x80"sv, "\xc3"sv, "\xe2\x82"sv, "\xc0\xaf"sv, "\xe0\x80\xaf"sv, "\xed\xa0\x80"sv,
        "\xf4\x90\x80\x80"sv, "\xf8\x88\x80\x80\x80"sv, "a\xc3(b"sv})
    EXPECT_FALSE(is_utf8(text)) << text.size();
}

}  // namespace
}  // namespace chronoveil::engine
