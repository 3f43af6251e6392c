#include "chronoveil/data/time/calendar.h"

#include "chronoveil/data/time/slots.h"
#include "reading.h"

namespace chronoveil::data::testing {
namespace {

Stretches stretches(const SlotSpec& spec, CalendarUnit unit) {
  const auto axis = make_axis(spec);
  EXPECT_TRUE(axis) << message(axis);
  const auto found = whole_stretches(*axis, unit);
  EXPECT_TRUE(found) << message(found);
  return *found;
}

TEST(Calendar, DaysAreAsLongAsTheZoneMakesThem) {
  // Clocks go forward on Sunday 29 March and back on Sunday 25 October.
  EXPECT_EQ(stretches({"2026-03-28T00:00", "2026-03-31T00:00", "1h", "Europe/Berlin"}, CalendarUnit::day),
            (Stretches{{0, 24}, {24, 47}, {47, 71}}));
  EXPECT_EQ(stretches({"2026-10-25T00:00", "2026-10-27T00:00", "1h", "Europe/Berlin"}, CalendarUnit::day),
            (Stretches{{0, 25}, {25, 49}}));
}

TEST(Calendar, WhatTheSpanCutsIsLeftOut) {
  EXPECT_EQ(stretches({"2026-03-01T06:00", "2026-03-03T18:00", "6h", "UTC"}, CalendarUnit::day), (Stretches{{3, 7}}));
  // 2026-03-02 is a Monday.
  EXPECT_EQ(stretches({"2026-03-01", "2026-03-18", "1d", "UTC"}, CalendarUnit::week), (Stretches{{1, 8}, {8, 15}}));
  EXPECT_EQ(stretches({"2026-01-31", "2026-04-01", "1d", "UTC"}, CalendarUnit::month), (Stretches{{1, 29}, {29, 60}}));
  EXPECT_EQ(stretches({"2026-03-01T01:00", "2026-03-02T23:00", "1h", "UTC"}, CalendarUnit::day), Stretches());
}

TEST(Calendar, StretchesThatSlotsCutOrAreThereAreNone) {
  EXPECT_EQ(stretches({"2026-03-02", "2026-04-27", "1w", "UTC"}, CalendarUnit::month), Stretches());
  EXPECT_EQ(stretches({"2026-03-02", "2026-04-27", "1w", "UTC"}, CalendarUnit::week), Stretches());
  EXPECT_EQ(stretches({"2026-03-01", "2026-04-01", "1d", "UTC"}, CalendarUnit::day), Stretches());
  EXPECT_EQ(stretches({"2026-01-01", "2026-07-01", "1mo", "UTC"}, CalendarUnit::month), Stretches());
  // Weeks that begin on Wednesdays.
  EXPECT_EQ(stretches({"2026-03-04", "2026-04-29", "1w", "UTC"}, CalendarUnit::week), Stretches());
}

TEST(Calendar, ADayThatBeginsLateOrIsSkippedIsNoReasonToStop) {
  // Midnight of 24 April 2026 does not exist in Cairo: that day begins at 01:00.
  EXPECT_EQ(stretches({"2026-04-23T00:00", "2026-04-25T00:00", "1h", "Africa/Cairo"}, CalendarUnit::day),
            (Stretches{{0, 24}, {24, 47}}));
  // Samoa had no 30 December 2011.
  EXPECT_EQ(stretches({"2011-12-29T00:00", "2012-01-01T00:00", "1h", "Pacific/Apia"}, CalendarUnit::day),
            (Stretches{{0, 24}, {24, 48}}));
}

}  // namespace
}  // namespace chronoveil::data::testing
