#include <gtest/gtest.h>

#include <limits>

#include "chronoveil/report/document/intervals.h"
#include "chronoveil/report/document/local_time.h"
#include "chronoveil/report/document/numbers.h"
#include "chronoveil/report/page/markup.h"
#include "report/sample.h"

namespace chronoveil::report {
namespace {

TEST(Numbers, AreShortForPeople) {
  EXPECT_EQ(rounded(0), "0");
  EXPECT_EQ(rounded(1234.4), "1,234");
  EXPECT_EQ(rounded(1234567), "1,234,567");
  EXPECT_EQ(rounded(0.12345), "0.123");
  EXPECT_EQ(rounded(-0.0004), "-0.0004");
  EXPECT_EQ(rounded(2.5e-6), "2.5e-6");
  EXPECT_EQ(rounded(1e-6), "1e-6");
  EXPECT_EQ(rounded(100), "100");
  EXPECT_EQ(rounded(std::numeric_limits<double>::infinity()), "∞");
  EXPECT_EQ(grouped(-1234), "-1,234");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(tick_text(0.30000000000000004, 0.1), "0.3");
  EXPECT_EQ(tick_text(20000, 5000), "20,000");
}

TEST(Numbers, WhatPromisesSomethingIsNeverRoundedDown) {
  EXPECT_EQ(rounded_up(0.99996), "1");
  EXPECT_EQ(rounded_up(1.00001), "1.001");
  EXPECT_EQ(rounded_up(1), "1");
  EXPECT_EQ(rounded_up(0.1), "0.1");
  EXPECT_EQ(rounded_up(1e-6), "1e-6");
  EXPECT_EQ(rounded_up(2.718281828, 3), "2.72");
  for (double value = 1e-9; value < 1e6; value *= 1.0371) {
    std::string text = rounded_up(value);
    std::erase(text, ',');
    EXPECT_GE(std::stod(text), value * (1 - 1e-11));
    EXPECT_LE(std::stod(text), value * 1.0011);
  }
}

TEST(Markup, NothingCanBreakOutOfTextOrAttributes) {
  EXPECT_EQ(escaped("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(escaped(std::string_view("a\0b\x1b[0m\n\x7f"
                                     "c",
                                     11)),
            "ab[0m c");
  EXPECT_EQ(escaped("Zürich 東京"), "Zürich 東京");
  EXPECT_EQ(escaped("a\xe2\x80\xae<b\xc2\x9b\xff"), R"(a\u202e&lt;b\u009b\xff)");
}

TEST(LocalTime, LabelsAreReadOrRefused) {
  const auto time = parse_label("2026-03-29T03:15:00+02:00");
  ASSERT_TRUE(time);
  EXPECT_EQ(time_words(*time), "Sun 29 Mar 2026, 03:15");
  EXPECT_EQ(time_words(*parse_label("2024-02-29T00:00:00Z")), "Thu 29 Feb 2024");
  for (const char* bad : {"", "2026", "2026-13-01T00:00:00Z", "2026-02-30T00:00:00Z", "2026-03-01Txx:00:00Z"})
    EXPECT_FALSE(parse_label(bad)) << bad;
}

SlotAxis axis_of(std::vector<std::int64_t> boundaries, std::vector<std::string> labels) {
  return {.zone = "UTC", .boundaries = std::move(boundaries), .labels = std::move(labels)};
}

TEST(LocalTime, SlotsAreCalledByTheirLength) {
  constexpr std::int64_t kHour = 3'600'000;
  EXPECT_EQ(slot_words(testing::hours(5)).many, "hours");
  // A night of 23 hours among days, and one alone.
  EXPECT_EQ(slot_words(axis_of({0, 24 * kHour, 47 * kHour, 71 * kHour}, {})).one, "day");
  EXPECT_EQ(slot_words(axis_of({0, 23 * kHour}, {})).one, "day");
  EXPECT_EQ(slot_words(axis_of({0, 169 * kHour}, {})).one, "week");
  EXPECT_EQ(slot_words(axis_of({0, kHour / 4}, {})).one, "slot of 15 minutes");
  EXPECT_EQ(slot_words(axis_of({0, 6 * kHour}, {})).many, "slots of 6 hours");
  EXPECT_EQ(slot_words(axis_of({0, 30'000}, {})).one, "slot of 30 seconds");
  EXPECT_EQ(slot_words(axis_of({0, 48 * kHour}, {})).one, "slot of 2 days");
  EXPECT_EQ(slot_words(axis_of({}, {})).one, "slot");
}

TEST(LocalTime, SpansEndWithTheLastDayOrHour) {
  EXPECT_EQ(span_words(testing::hours(744)), "1 to 31 Mar 2026");
  EXPECT_EQ(span_words(testing::hours(768)), "1 Mar to 1 Apr 2026");
  EXPECT_EQ(span_words(testing::hours(24)), "Sun 1 Mar 2026");
  EXPECT_EQ(span_words(testing::hours(6)), "Sun 1 Mar 2026, 00:00 to 06:00");
  EXPECT_EQ(span_words(testing::hours(30)), "Sun 1 Mar 2026, 00:00 to Mon 2 Mar 2026, 06:00");
  EXPECT_EQ(span_words(axis_of({}, {})), "no slots");
}

TEST(LocalTime, TicksAreFewAndAtRoundTimes) {
  const auto texts = [](std::int64_t steps, std::size_t most) {
    std::vector<std::string> all;
    for (const Tick& tick : time_ticks(testing::hours(steps), most)) all.push_back(tick.text);
    return all;
  };
  EXPECT_EQ(texts(744, 9), (std::vector<std::string>{"2 Mar", "9 Mar", "16 Mar", "23 Mar", "30 Mar"}));  // Mondays
  EXPECT_EQ(texts(24, 9),
            (std::vector<std::string>{"1 Mar", "03:00", "06:00", "09:00", "12:00", "15:00", "18:00", "21:00"}));
  EXPECT_EQ(texts(24 * 200, 9), (std::vector<std::string>{"Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep"}));
  for (const std::int64_t steps : {1, 2, 25, 100, 1000, 7000}) EXPECT_LE(texts(steps, 6).size(), 6u) << steps;
  const std::vector<Tick> ticks = time_ticks(testing::hours(48), 4);
  ASSERT_EQ(ticks.size(), 4u);
  EXPECT_EQ(ticks[1].at, 0.25);
  EXPECT_EQ(ticks[2].text, "2 Mar");
}

TEST(SlotPhrase, NamesTheSlotAsAReaderWould) {
  constexpr std::int64_t kHour = 3'600'000, kDay = 24 * kHour;
  const auto phrase = [](std::int64_t length, const std::string& label) {
    return slot_phrase(SlotAxis{.zone = "UTC", .boundaries = {0, length}, .labels = {label}}, 0);
  };
  EXPECT_EQ(phrase(7 * kDay, "2026-06-28T00:00:00+00:00"), "Week of 28 June 2026");
  EXPECT_EQ(phrase(23 * kHour, "2026-03-29T00:00:00+01:00"), "Sunday 29 March 2026");
  EXPECT_EQ(phrase(4 * kDay, "2026-06-28T00:00:00+00:00"), "4 days from 28 June 2026");
  EXPECT_EQ(phrase(kHour, "2026-06-28T06:00:00+00:00"), "Sunday 28 June 2026, 06:00 to 07:00");
  EXPECT_EQ(phrase(kHour, "no time"), "no time");
  const SlotAxis night{.zone = "Europe/Berlin",
                       .boundaries = {0, 5 * kHour, 11 * kHour},
                       .labels = {"2026-03-29T00:00:00+01:00", "2026-03-29T06:00:00+02:00"}};
  EXPECT_EQ(slot_phrase(night, 0), "Sunday 29 March 2026, 00:00 to 06:00");  // of five hours
}

TEST(Intervals, AllowToSayOnlyWhatTheyDoNotOverlapIn) {
  const double endless = std::numeric_limits<double>::infinity();
  EXPECT_EQ(between_words(302, 290, 315), "302, between 290 and 315");
  EXPECT_EQ(between_words(302, 290, endless), "302, at least 290");
  EXPECT_EQ(between_words(302, -endless, 315), "302, at most 315");
  EXPECT_EQ(between_words(302, -endless, endless), "302, without bounds");
  const std::vector<double> lower = {1, 5, 2}, apart = {3, 8, 4}, touching = {3, 8, 5};
  EXPECT_EQ(clear_maximum(lower, apart), 1u);
  EXPECT_EQ(clear_maximum(lower, touching), std::nullopt);
  EXPECT_EQ(clear_maximum(std::vector<double>{1}, std::vector<double>{2}), std::nullopt);
  EXPECT_TRUE(some_differ(lower, touching));
  EXPECT_FALSE(some_differ(std::vector<double>{1, 2}, std::vector<double>{2, 3}));
  EXPECT_EQ(usual_width(lower, apart), 2);
  EXPECT_EQ(usual_width({}, {}), 0);
  EXPECT_TRUE(uninformative(std::vector<double>{4, -1}, std::vector<double>{0, -3}, std::vector<double>{8, 4}));
  EXPECT_FALSE(
      uninformative(std::vector<double>{300, 300}, std::vector<double>{295, 295}, std::vector<double>{305, 305}));
}

}  // namespace
}  // namespace chronoveil::report
