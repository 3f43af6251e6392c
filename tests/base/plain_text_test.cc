#include "chronoveil/base/plain_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace chronoveil {
namespace {

using namespace std::string_view_literals;

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

// One of each kind, and both ends of each range.
constexpr std::string_view kHostileTexts[] = {
    "\0"sv,           "\x1b"sv,         "\x1f"sv,         "\x7f"sv,         "\n"sv,           "\t"sv,
    "\r"sv,           "\xc2\x80"sv,     "\xc2\x9b"sv,     "\xc2\x9f"sv,     "\xd8\x9c"sv,     "\xe2\x80\x8e"sv,
    "\xe2\x80\x8f"sv, "\xe2\x80\xa8"sv, "\xe2\x80\xa9"sv, "\xe2\x80\xaa"sv, "\xe2\x80\xae"sv, "\xe2\x81\xa6"sv,
    "\xe2\x81\xa9"sv, "\xe2\x81\xaf"sv, "\xff"sv,         "\xe2\x80"sv,     "\xed\xa0\x80"sv};

TEST(PlainText, LettersOfEveryScriptArePlain) {
  for (const std::string_view text :
       {""sv, "north"sv, "Süd ~"sv, "\xc2\xa0"sv, "שלום"sv, "می\xe2\x80\x8cخواهم"sv, "\xe2\x80\xa7"sv, "\xe2\x80\xaf"sv,
        "\xe2\x81\xa5"sv, "\xe2\x81\xb0"sv, "🚌"sv, "a \\u202e"sv}) {
    EXPECT_TRUE(is_plain_text(text)) << text;
    EXPECT_EQ(visible(text), text);
    EXPECT_EQ(visible_lines(text), text);
    EXPECT_TRUE(check_plain_text("title", text));
  }
}

TEST(PlainText, WhatMovesACursorOrTurnsTheDirectionIsRefusedAndMadeVisible) {
  for (const std::string_view hostile : kHostileTexts) {
    const std::string text = "ab" + std::string(hostile) + "c";
    EXPECT_FALSE(is_plain_text(text)) << visible(text);
    const auto refused = check_plain_text("output.title", text);
    ASSERT_FALSE(refused) << visible(text);
    EXPECT_EQ(refused.error().kind, ErrorKind::usage);
    EXPECT_TRUE(refused.error().text().starts_with("output.title: character 3 is ")) << refused.error().text();
    EXPECT_TRUE(is_plain_text(refused.error().text()));
    const std::string shown = visible(text);
    EXPECT_TRUE(is_plain_text(shown)) << shown;
    EXPECT_TRUE(shown.starts_with("ab\\") && shown.ends_with("c")) << shown;
    EXPECT_EQ(visible(shown), shown);
  }
}

TEST(PlainText, IsShownByItsCode) {
  EXPECT_EQ(visible("a\x1b[2J\n\tb\r\x7f"), R"(a\u001b[2J\n\tb\r\u007f)");
  EXPECT_EQ(visible("\xe2\x80\xaexs\xff\xc3"), R"(\u202exs\xff\xc3)");
  EXPECT_EQ(visible_lines("a\n\tb\r\xc2\x9b"), "a\n\tb\\r\\u009b");
}

// What is printed as JSON goes through visible_lines(), and must be read as the same.
TEST(PlainText, JsonMeansTheSameAfterwards) {
  for (const std::string_view hostile : kHostileTexts) {
    if (!is_utf8(hostile)) continue;
    const nlohmann::json object = {{"purpose", "a" + std::string(hostile) + "\\u202e\"b"}};
    const std::string text = visible_lines(object.dump(2));
    EXPECT_EQ(nlohmann::json::parse(text), object);
    EXPECT_EQ(visible_lines(text), text);
  }
}

}  // namespace
}  // namespace chronoveil
