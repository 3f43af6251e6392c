#include "report/page_checks.h"

#include <gtest/gtest.h>

namespace chronoveil::report::testing {
namespace {

const std::string kPolicy = "<meta content=\"default-src 'none'\">";

TEST(PageChecks, WhatIsMisnestedIsNamed) {
  EXPECT_EQ(misnested("<!doctype html><p><b></b><path d=\"M0 0\"/></p>"), "");
  EXPECT_EQ(misnested("<p><b></p></b>"), "unexpected /p");
  EXPECT_EQ(misnested("<svg><path d=\"M0 0\"></svg>"), "unexpected /svg");
  EXPECT_EQ(misnested("<p>"), "unclosed p");
  EXPECT_EQ(misnested("<p"), "a tag without an end");
}

TEST(PageChecks, APageWithAFlawIsRejected) {
  EXPECT_EQ(flaw(kPolicy + "<link href=\"data:,\"><p>for information: 3</p>"), "");
  EXPECT_EQ(flaw("<p></p>"), "no policy against what is elsewhere");
  EXPECT_EQ(flaw(kPolicy + "<p>"), "unclosed p");
  EXPECT_EQ(flaw(kPolicy + "<script></script>"), "unwanted <script");
  EXPECT_EQ(flaw(kPolicy + "<p>ftp://x</p>"), "unwanted ://");
  EXPECT_EQ(flaw(kPolicy + "<style>@import 'x'</style>"), "unwanted @import");
  EXPECT_EQ(flaw(kPolicy + "<p onclick=\"x\"></p>"), "unwanted  onclick=");
  EXPECT_EQ(flaw(kPolicy + "<link href=\"x.css\">"), "unwanted href=\"");
  EXPECT_EQ(flaw(kPolicy + "<path d=\"M0 nanl3 4\"/>"), "unwanted nan");
  EXPECT_EQ(flaw(kPolicy + "<path d=\"M-inf 3\"/>"), "unwanted inf");
}

TEST(PageChecks, PartsAreCounted) {
  EXPECT_TRUE(has("abc", "bc"));
  EXPECT_FALSE(has("abc", "cb"));
  EXPECT_EQ(times("abcabc", "bc"), 2u);
  EXPECT_EQ(times("abc", "x"), 0u);
}

}  // namespace
}  // namespace chronoveil::report::testing
