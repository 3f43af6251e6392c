#include "chronoveil/report/document/marked.h"

#include <gtest/gtest.h>

#include <string>

namespace chronoveil::report {
namespace {

const std::string kMark = "seeded: not private";

TEST(Marked, AFileThatSaysItWhereThisProgramPutsItIs) {
  EXPECT_TRUE(is_marked("series,value,mark\nA,1," + kMark + "\n"));
  EXPECT_TRUE(is_marked("time,mark,chronoveil_mark\n1,2," + kMark + "\n"));
  EXPECT_TRUE(is_marked("place,mean,mark,longitude,latitude\nA,1," + kMark + ",13.4,52.5\n"));
  EXPECT_TRUE(is_marked("{\"kind\":\"series\",\"mark\":\"" + kMark + "\"}"));
  EXPECT_TRUE(is_marked("<svg><title>A</title><desc>" + kMark + "</desc></svg>"));
  EXPECT_TRUE(is_marked("<!doctype html><p role=\"alert\">" + kMark + "</p>"));
}

// A title, a key or a value of the data that reads like a mark, in each kind of file.
TEST(Marked, ATextThatReadsLikeAMarkIsNone) {
  for (const std::string& forged : {"<desc>" + kMark, "<span class='tag warn'>" + kMark, kMark}) {
    EXPECT_FALSE(is_marked("{\"title\":\"" + forged + "\"}")) << forged;
    EXPECT_FALSE(is_marked("series,value\n" + forged + ",1\n")) << forged;
    EXPECT_FALSE(is_marked("series,remark\nA," + forged + "\n")) << forged;
    EXPECT_FALSE(is_marked("series,mark\nA,not " + forged + "\n")) << forged;
  }
  EXPECT_FALSE(is_marked("place,mean,longitude,latitude\n" + kMark + ",1,13.4,52.5\n"));
  EXPECT_FALSE(is_marked("{\"title\":\"\\\"mark\\\":\\\"" + kMark + "\"}"));
  EXPECT_FALSE(is_marked("key\n\"\"\"mark\"\":\"\"" + kMark + "\"\n"));
  EXPECT_FALSE(is_marked("<svg><title>&lt;desc&gt;" + kMark + "</title></svg>"));
  EXPECT_FALSE(is_marked(""));
}

}  // namespace
}  // namespace chronoveil::report
