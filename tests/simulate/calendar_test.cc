#include "chronoveil/simulate/calendar.h"

#include <gtest/gtest.h>

namespace chronoveil::simulate {
namespace {

Calendar berlin(const std::string& start, std::int64_t days, std::int32_t slot) {
  Result<Calendar> made = Calendar::make("Europe/Berlin", start, days, slot);
  EXPECT_TRUE(made) << made.error().text();
  return std::move(*made);
}

std::string stamp(const Day& day, std::int32_t elapsed) {
  std::string text(Calendar::kStampSize, ' ');
  EXPECT_EQ(Calendar::stamp(day, elapsed, text.data()), text.data() + text.size());
  return text;
}

TEST(Calendar, AnOrdinaryDayHas24HoursAndWallTimeIsElapsedTime) {
  const Calendar calendar = berlin("2026-03-02", 1, kHour);
  const Day& day = calendar.days().front();
  EXPECT_EQ(day.length, 86400);
  EXPECT_EQ(day.weekday, 0);
  EXPECT_EQ(day.begin, 1772406000);  // 2026-03-01T23:00Z
  EXPECT_EQ(calendar.axis().steps(), 24);
  EXPECT_EQ(calendar.end(), "2026-03-03");
  for (const std::int32_t wall : {0, 1, 7200, 86399}) EXPECT_EQ(Calendar::elapsed(day, wall, true), wall);
  EXPECT_EQ(stamp(day, 27000), "2026-03-02T07:30:00+01:00");
}

TEST(Calendar, ANightThatSkipsAnHourHas23Hours) {
  const Calendar calendar = berlin("2026-03-29", 1, kHour);
  const Day& day = calendar.days().front();
  EXPECT_EQ(day.length, 23 * kHour);
  ASSERT_EQ(calendar.axis().steps(), 23);
  EXPECT_EQ(calendar.axis().labels[1], "2026-03-29T01:00:00+01:00");
  EXPECT_EQ(calendar.axis().labels[2], "2026-03-29T03:00:00+02:00");
  EXPECT_EQ(stamp(day, Calendar::elapsed(day, 7 * kHour, false)), "2026-03-29T07:00:00+02:00");
  // 02:30 does not exist; half an hour after 02:00 would have been, clocks show 03:30.
  EXPECT_EQ(stamp(day, Calendar::elapsed(day, 9000, false)), "2026-03-29T03:30:00+02:00");
  EXPECT_EQ(stamp(day, Calendar::elapsed(day, 86399, false)), "2026-03-29T23:59:59+02:00");
}

TEST(Calendar, ANightThatRepeatsAnHourHas25Hours) {
  const Calendar calendar = berlin("2026-10-25", 1, kHour);
  const Day& day = calendar.days().front();
  EXPECT_EQ(day.length, 25 * kHour);
  ASSERT_EQ(calendar.axis().steps(), 25);
  EXPECT_EQ(calendar.axis().labels[2], "2026-10-25T02:00:00+02:00");
  EXPECT_EQ(calendar.axis().labels[3], "2026-10-25T02:00:00+01:00");
  EXPECT_EQ(stamp(day, Calendar::elapsed(day, 9000, false)), "2026-10-25T02:30:00+02:00");
  EXPECT_EQ(stamp(day, Calendar::elapsed(day, 9000, true)), "2026-10-25T02:30:00+01:00");
  EXPECT_EQ(stamp(day, Calendar::elapsed(day, 86399, true)), "2026-10-25T23:59:59+01:00");
  EXPECT_EQ(Calendar::elapsed(day, 86399, true), day.length - 1);
}

TEST(Calendar, SlotsOfSixHoursKeepTheirWallTimesAcrossAChange) {
  for (const char* date : {"2026-03-29", "2026-10-25"}) {
    const Calendar calendar = berlin(date, 1, 6 * kHour);
    ASSERT_EQ(calendar.axis().steps(), 4);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(calendar.slots()[static_cast<std::size_t>(i)].wall, 6 * i * kHour) << date;
  }
}

TEST(Calendar, EverySecondOfADayIsInTheSlotThatHoldsIt) {
  for (const char* date : {"2026-03-02", "2026-03-29", "2026-10-25"}) {
    const Calendar calendar = berlin(date, 2, kHour / 2);
    for (const Day& day : calendar.days()) {
      for (std::int32_t at = 0; at < day.length; at += 97) {
        const auto slot = static_cast<std::size_t>(calendar.slot(day, at));
        EXPECT_LE(calendar.axis().boundaries[slot], (day.begin + at) * 1000);
        EXPECT_GT(calendar.axis().boundaries[slot + 1], (day.begin + at) * 1000);
      }
    }
  }
}

TEST(Calendar, AWeekIsOneSlotFromMidnightToMidnight) {
  const Calendar calendar = berlin("2026-03-23", 14, 7 * kDay);
  ASSERT_EQ(calendar.axis().steps(), 2);
  EXPECT_EQ(calendar.axis().labels[1], "2026-03-30T00:00:00+02:00");
  EXPECT_EQ(calendar.axis().boundaries[1] - calendar.axis().boundaries[0], std::int64_t{7 * 24 - 1} * kHour * 1000);
  EXPECT_EQ(calendar.slot(calendar.days()[6], 80000), 0);
  EXPECT_EQ(calendar.slot(calendar.days()[7], 0), 1);
}

TEST(Calendar, ADayWhoseMidnightIsSkippedBeginsWhenClocksSayOne) {
  // Cuba's clocks go forward at midnight: 2026-03-08 has no 00:30.
  const Result<Calendar> made = Calendar::make("America/Havana", "2026-03-08", 1, kHour);
  ASSERT_TRUE(made);
  EXPECT_EQ(made->days().front().length, 23 * kHour);
  EXPECT_EQ(made->axis().labels.front(), "2026-03-08T01:00:00-04:00");
  EXPECT_EQ(stamp(made->days().front(), Calendar::elapsed(made->days().front(), 12 * kHour, false)),
            "2026-03-08T12:00:00-04:00");
}

TEST(Calendar, BadDatesZonesAndSpansAreRefusedByName) {
  for (const char* start :
       {"", "2026-02-30", "2026-3-1", "2026-03-01T00:00", "1900-01-01", "+026-03-01", "2026-03-0x"}) {
    const auto got = Calendar::make("UTC", start, 1, kHour);
    ASSERT_FALSE(got) << start;
    EXPECT_EQ(got.error().text().rfind("start:", 0), 0u) << got.error().text();
  }
  for (const char* zone : {"", "Nowhere/City", "../etc"})
    EXPECT_EQ(Calendar::make(zone, "2026-03-01", 1, kHour).error().text().rfind("zone:", 0), 0u) << zone;
  for (const std::int64_t days : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{1} << 40})
    EXPECT_EQ(Calendar::make("UTC", "2026-03-01", days, kHour).error().text().rfind("days:", 0), 0u);
}

}  // namespace
}  // namespace chronoveil::simulate
