#include "chronoveil/data/time/slots.h"

#include <random>

#include "chronoveil/data/time/civil.h"
#include "chronoveil/data/time/zone.h"
#include "reading.h"

namespace chronoveil::data::testing {
namespace {

SlotAxis axis_of(const std::string& start, const std::string& end, const std::string& length, const std::string& zone) {
  auto axis = make_axis({start, end, length, zone});
  EXPECT_TRUE(axis) << message(axis);
  return axis ? std::move(*axis) : SlotAxis{};
}

std::vector<std::int64_t> lengths_of(const SlotAxis& axis, std::int64_t unit) {
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 0; i + 1 < axis.boundaries.size(); ++i) {
    EXPECT_EQ((axis.boundaries[i + 1] - axis.boundaries[i]) % unit, 0);
    lengths.push_back((axis.boundaries[i + 1] - axis.boundaries[i]) / unit);
  }
  return lengths;
}

using Lengths = std::vector<std::int64_t>;

TEST(Slots, AnOrdinaryDayHas24Hours) {
  const SlotAxis axis = axis_of("2026-03-01T00:00", "2026-03-02T00:00", "1h", "Europe/Berlin");
  EXPECT_EQ(axis.zone, "Europe/Berlin");
  EXPECT_EQ(axis.steps(), 24);
  ASSERT_EQ(axis.labels.size(), 24U);
  EXPECT_EQ(axis.boundaries.front(), 1772319600000);
  EXPECT_EQ(axis.labels.front(), "2026-03-01T00:00:00+01:00");
  EXPECT_EQ(axis.labels.back(), "2026-03-01T23:00:00+01:00");
  EXPECT_EQ(lengths_of(axis, kHour), Lengths(24, 1));
}

TEST(Slots, TheNightInSpringHasOneHourFewer) {
  const SlotAxis axis = axis_of("2026-03-29", "2026-03-30", "1h", "Europe/Berlin");
  EXPECT_EQ(lengths_of(axis, kHour), Lengths(23, 1));
  EXPECT_EQ(axis.labels[1], "2026-03-29T01:00:00+01:00");
  EXPECT_EQ(axis.labels[2], "2026-03-29T03:00:00+02:00");
  EXPECT_EQ(axis_of("2026-03-29", "2026-03-30", "15min", "Europe/Berlin").steps(), 92);
}

TEST(Slots, TheNightInAutumnHasOneHourMore) {
  const SlotAxis axis = axis_of("2026-10-25", "2026-10-26", "1h", "Europe/Berlin");
  EXPECT_EQ(lengths_of(axis, kHour), Lengths(25, 1));
  EXPECT_EQ(axis.labels[2], "2026-10-25T02:00:00+02:00");
  EXPECT_EQ(axis.labels[3], "2026-10-25T02:00:00+01:00");
  EXPECT_EQ(axis_of("2026-10-25", "2026-10-26", "15min", "Europe/Berlin").steps(), 100);
  EXPECT_EQ(axis_of("2026-10-25", "2026-10-26", "20min", "Europe/Berlin").steps(), 75);
}

TEST(Slots, ASlotThatAChangeCutsIsShorterOrLonger) {
  const auto hours = [](const std::string& day, const std::string& next, const std::string& length) {
    return lengths_of(axis_of(day, next, length, "Europe/Berlin"), kHour);
  };
  EXPECT_EQ(hours("2026-03-29", "2026-03-30", "2h"), (Lengths{2, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(hours("2026-10-25", "2026-10-26", "2h"), (Lengths{2, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}));
  EXPECT_EQ(hours("2026-03-29", "2026-03-30", "3h"), (Lengths{2, 3, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(hours("2026-10-25", "2026-10-26", "3h"), (Lengths{4, 3, 3, 3, 3, 3, 3, 3}));
  EXPECT_EQ(hours("2026-03-29", "2026-03-30", "12h"), (Lengths{11, 12}));
  EXPECT_EQ(hours("2026-10-24", "2026-10-27", "24h"), (Lengths{24, 25, 24}));
  const SlotAxis forties = axis_of("2026-10-25", "2026-10-26", "40min", "Europe/Berlin");
  const Lengths minutes = lengths_of(forties, kMinute);
  EXPECT_EQ(Lengths(minutes.begin(), minutes.begin() + 8), (Lengths{40, 40, 40, 40, 20, 40, 40, 40}));
  EXPECT_EQ(forties.labels[5], "2026-10-25T02:00:00+01:00");
}

TEST(Slots, DaysAndWeeksGoFromMidnightToMidnight) {
  EXPECT_EQ(lengths_of(axis_of("2026-03-28", "2026-03-31", "1d", "Europe/Berlin"), kHour), (Lengths{24, 23, 24}));
  EXPECT_EQ(lengths_of(axis_of("2026-03-02", "2026-04-13", "1w", "Europe/Berlin"), kHour),
            (Lengths{168, 168, 168, 167, 168, 168}));
  EXPECT_EQ(axis_of("2026-03-02", "2026-04-13", "7d", "Europe/Berlin").boundaries,
            axis_of("2026-03-02", "2026-04-13", "1w", "Europe/Berlin").boundaries);
  EXPECT_EQ(lengths_of(axis_of("2026-03-07", "2026-03-10", "1d", "America/New_York"), kHour), (Lengths{24, 23, 24}));
  EXPECT_EQ(lengths_of(axis_of("2026-10-31", "2026-11-03", "1d", "America/New_York"), kHour), (Lengths{24, 25, 24}));
}

TEST(Slots, MonthsGoFromTheFirstToTheFirst) {
  EXPECT_EQ(lengths_of(axis_of("2024-01-01", "2024-07-01", "1mo", "UTC"), kDay), (Lengths{31, 29, 31, 30, 31, 30}));
  EXPECT_EQ(lengths_of(axis_of("2025-11-01", "2026-11-01", "3mo", "UTC"), kDay), (Lengths{92, 89, 92, 92}));
  EXPECT_EQ(lengths_of(axis_of("2023-01-01", "2025-01-01", "12mo", "UTC"), kDay), (Lengths{365, 366}));
  const SlotAxis berlin = axis_of("2026-03-01", "2026-05-01", "1mo", "Europe/Berlin");
  EXPECT_EQ(lengths_of(berlin, kHour), (Lengths{31 * 24 - 1, 30 * 24}));
  EXPECT_EQ(berlin.labels[1], "2026-04-01T00:00:00+02:00");
  const SlotFinder finder(berlin);
  EXPECT_EQ(finder(berlin.boundaries[1] - 1), 0);
  EXPECT_EQ(finder(berlin.boundaries[1]), 1);
  expect_failure(make_axis({"2026-03-02", "2026-05-01", "1mo", "UTC"}), ErrorKind::usage, "on the first of a month");
  expect_failure(make_axis({"2026-03-01", "2026-05-01T06:00", "1mo", "UTC"}), ErrorKind::usage, "end");
  expect_failure(make_axis({"2026-03-01", "2026-05-01", "3mo", "UTC"}), ErrorKind::usage, "it is 2 months");
  for (const char* length : {"0mo", "-1mo", "mo", "1.5mo", "1201mo", "1 mo"})
    expect_failure(make_axis({"2026-03-01", "2026-05-01", length, "UTC"}), ErrorKind::usage, "length");
}

TEST(Slots, NewYorkChangesAtTwo) {
  const SlotAxis spring = axis_of("2026-03-08", "2026-03-09", "1h", "America/New_York");
  EXPECT_EQ(spring.steps(), 23);
  EXPECT_EQ(spring.labels[2], "2026-03-08T03:00:00-04:00");
  const SlotAxis autumn = axis_of("2026-11-01", "2026-11-02", "1h", "America/New_York");
  EXPECT_EQ(autumn.steps(), 25);
  EXPECT_EQ(autumn.labels[1], "2026-11-01T01:00:00-04:00");
  EXPECT_EQ(autumn.labels[2], "2026-11-01T01:00:00-05:00");
}

TEST(Slots, KolkataIsAlignedToItsOwnMidnight) {
  const SlotAxis axis = axis_of("2026-03-01", "2026-03-02", "1h", "Asia/Kolkata");
  EXPECT_EQ(lengths_of(axis, kHour), Lengths(24, 1));
  EXPECT_EQ(axis.boundaries.front(), 1772303400000);  // 18:30Z
  EXPECT_EQ(axis.labels.front(), "2026-03-01T00:00:00+05:30");
}

TEST(Slots, LordHoweChangesByHalfAnHour) {
  // On 2026-04-05 at 02:00 back to 01:30; on 2026-10-04 at 02:00 forward to 02:30.
  const SlotAxis autumn = axis_of("2026-04-05", "2026-04-06", "1h", "Australia/Lord_Howe");
  Lengths minutes = lengths_of(autumn, kMinute);
  EXPECT_EQ(minutes.size(), 24U);
  EXPECT_EQ(Lengths(minutes.begin(), minutes.begin() + 4), (Lengths{60, 90, 60, 60}));
  EXPECT_EQ(autumn.labels[2], "2026-04-05T02:00:00+10:30");
  EXPECT_EQ(lengths_of(axis_of("2026-04-05", "2026-04-06", "30min", "Australia/Lord_Howe"), kMinute), Lengths(49, 30));
  const SlotAxis spring = axis_of("2026-10-04", "2026-10-05", "1h", "Australia/Lord_Howe");
  minutes = lengths_of(spring, kMinute);
  EXPECT_EQ(minutes.size(), 24U);
  EXPECT_EQ(Lengths(minutes.begin(), minutes.begin() + 4), (Lengths{60, 60, 30, 60}));
  EXPECT_EQ(spring.labels[2], "2026-10-04T02:30:00+11:00");
  EXPECT_EQ(lengths_of(axis_of("2026-10-04", "2026-10-05", "30min", "Australia/Lord_Howe"), kMinute), Lengths(47, 30));
}

TEST(Slots, ApiaHadNo30December2011) {
  const SlotAxis days = axis_of("2011-12-28", "2012-01-02", "1d", "Pacific/Apia");
  EXPECT_EQ(lengths_of(days, kHour), (Lengths{24, 24, 24, 24}));
  EXPECT_EQ(days.labels[1], "2011-12-29T00:00:00-10:00");
  EXPECT_EQ(days.labels[2], "2011-12-31T00:00:00+14:00");
  EXPECT_EQ(lengths_of(axis_of("2011-12-29", "2012-01-01", "1h", "Pacific/Apia"), kHour), Lengths(48, 1));
  EXPECT_EQ(lengths_of(axis_of("2011-12-26", "2012-01-02", "7d", "Pacific/Apia"), kHour), (Lengths{144}));
  expect_failure(make_axis({"2011-12-30", "2012-01-02", "1d", "Pacific/Apia"}), ErrorKind::usage, "skipped");
}

TEST(Slots, ADayMayBeginAtOneOClock) {
  const SlotAxis days = axis_of("2018-11-03", "2018-11-05", "1d", "America/Sao_Paulo");  // 00:00 was skipped on the 4th
  EXPECT_EQ(lengths_of(days, kHour), (Lengths{24, 23}));
  EXPECT_EQ(days.labels[1], "2018-11-04T01:00:00-02:00");
  // In autumn 24:00 became 23:00, so that the day lasted longer.
  EXPECT_EQ(lengths_of(axis_of("2018-02-17", "2018-02-19", "1d", "America/Sao_Paulo"), kHour), (Lengths{25, 24}));
  EXPECT_EQ(axis_of("2018-02-17", "2018-02-18", "1h", "America/Sao_Paulo").steps(), 25);
}

TEST(Slots, StartAndEndMayCarryOffsetsAndLieInsideADay) {
  const SlotAxis axis = axis_of("2026-10-25T02:00+02:00", "2026-10-25T02:00+01:00", "1h", "Europe/Berlin");
  EXPECT_EQ(axis.labels, (std::vector<std::string>{"2026-10-25T02:00:00+02:00"}));
  EXPECT_EQ(axis_of("2026-03-01T07:30Z", "2026-03-01T09:00+01:00", "30min", "Europe/Berlin").steps(), 1);
}

TEST(Slots, RefusesWhatIsNoBoundaryOrDoesNotExist) {
  const auto refused = [](const std::string& start, const std::string& end, const std::string& length,
                          const std::string& part, const std::string& zone = "Europe/Berlin") {
    expect_failure(make_axis({start, end, length, zone}), ErrorKind::usage, part);
  };
  refused("2026-03-01T00:30", "2026-03-02", "1h", "start: 2026-03-01T00:30");
  refused("2026-03-01", "2026-03-02T00:10", "1h", "end: 2026-03-02T00:10");
  refused("2026-03-01T01:00", "2026-03-02", "1d", "start: 2026-03-01T01:00");
  refused("2026-03-01", "2026-03-09", "1w", "end: 2026-03-09");
  refused("2026-03-01", "2026-03-01", "1h", "after the start");
  refused("2026-03-02", "2026-03-01", "1h", "after the start");
  refused("2026-03-29T02:00", "2026-03-30", "1h", "skipped");
  refused("2026-10-25T02:00", "2026-10-26", "1h", "twice");
  refused("2026-10-25", "2026-10-25T02:30", "30min", "twice");
  refused("2026-10-25T02:00+01:00", "2026-10-26", "2h", "boundary");
  refused("soon", "2026-03-02", "1h", "start: soon");
  refused("2026-03-01", "", "1h", "end");
  for (const char* length : {"7h", "5d2h", "0h", "-1h", "", "h", "1", "1m", "1 h", "1.5h", "25h", "50min", "1y", "36h",
                             "99999999999999999999h", "99999999d"}) {
    refused("2026-03-01", "2026-03-02", length, "length: " + std::string(length));
  }
  refused("2026-03-01", "2026-03-02", "1h", "zone: Nowhere", "Nowhere");
  refused("1900-01-01", "2400-01-01", "1s", "at most 10000000", "UTC");
}

TEST(Slots, MayBeSecondsInAKnownZone) {
  expect_failure(make_axis({"2026-01-01", "2026-01-01T00:00:01", "1s", "Nowhere"}), ErrorKind::usage, "zone");
  const SlotAxis axis = axis_of("2026-01-01", "2026-01-02", "1s", "UTC");
  EXPECT_EQ(axis.steps(), 86400);
  EXPECT_EQ(axis.labels.back(), "2026-01-01T23:59:59+00:00");
}

// A boundary is where the clock on the wall enters another slot: asked of the clock itself, minute by minute.
TEST(Slots, AgreeWithTheClockOnTheWall) {
  struct Case {
    const char *zone, *start, *end;
  };
  for (const Case& c :
       {Case{"Europe/Berlin", "2026-03-27", "2026-04-01"}, Case{"Europe/Berlin", "2026-10-23", "2026-10-28"},
        Case{"Australia/Lord_Howe", "2026-04-03", "2026-04-08"}, Case{"America/St_Johns", "2009-10-30", "2009-11-03"},
        Case{"Pacific/Apia", "2011-12-28", "2012-01-02"}}) {
    const auto zone = *Zone::find(c.zone);
    for (const auto& [length, size] :
         {std::pair("1h", kHour), std::pair("15min", 15 * kMinute), std::pair("4h", 4 * kHour)}) {
      const SlotAxis axis = axis_of(c.start, c.end, length, c.zone);
      std::size_t next = 1;
      for (std::int64_t t = axis.boundaries.front() + kMinute; t < axis.boundaries.back(); t += kMinute) {
        const auto local = [&](std::int64_t instant) { return instant + zone->offset_at(instant); };
        const std::int64_t back = local(t - kMinute) + kMinute - local(t);
        const bool entered = floor_divide(local(t), size) != floor_divide(local(t - kMinute), size);
        const bool again = back > 0 && back % size == 0;
        if (!entered && !again) continue;
        ASSERT_LT(next, axis.boundaries.size());
        ASSERT_EQ(axis.boundaries[next++], t) << c.zone << " " << length;
      }
      ASSERT_EQ(next, axis.boundaries.size() - 1) << c.zone << " " << length;
    }
  }
}

TEST(SlotFinder, FindsEveryInstantOnEvenAndUnevenAxes) {
  std::mt19937_64 random(9);
  for (const SlotAxis& axis :
       {axis_of("2026-01-01", "2027-01-01", "1h", "UTC"), axis_of("2026-01-01", "2027-01-01", "1h", "Europe/Berlin"),
        axis_of("2026-01-01", "2027-01-01", "2h", "Europe/Berlin"),
        axis_of("2026-01-01", "2027-01-01", "1d", "Europe/Berlin"),
        axis_of("2026-10-25", "2026-10-26", "30s", "Europe/Berlin"),
        axis_of("2011-12-26", "2012-01-02", "7d", "Pacific/Apia"),
        SlotAxis{"UTC", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 1'000'000'000}, {}},
        SlotAxis{"UTC", {0, 1'000'000'000, 1'000'000'001}, {}}}) {
    const SlotFinder find(axis);
    for (std::int64_t i = 0; i < axis.steps(); ++i) {
      const std::int64_t begin = axis.boundaries[static_cast<std::size_t>(i)];
      const std::int64_t end = axis.boundaries[static_cast<std::size_t>(i) + 1];
      ASSERT_EQ(find(begin), i);
      ASSERT_EQ(find(end - 1), i);
      ASSERT_EQ(find(begin + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(end - begin))), i);
    }
    EXPECT_EQ(find(axis.boundaries.front() - 1), -1);
    EXPECT_EQ(find(axis.boundaries.back()), -1);
    EXPECT_EQ(find(std::numeric_limits<std::int64_t>::min()), -1);
    EXPECT_EQ(find(std::numeric_limits<std::int64_t>::max()), -1);
  }
  const SlotAxis nothing;
  EXPECT_EQ(SlotFinder(nothing)(0), -1);
}

}  // namespace
}  // namespace chronoveil::data::testing
