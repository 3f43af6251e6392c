#include "chronoveil/data/time/slot_cursor.h"

#include <algorithm>
#include <map>
#include <random>

#include "chronoveil/data/time/civil.h"
#include "chronoveil/data/time/slots_ahead.h"
#include "chronoveil/data/time/zone.h"
#include "reading.h"

namespace chronoveil::data::testing {
namespace {

SlotCursor cursor_of(const SlotSpec& spec) {
  auto cursor = SlotCursor::make(spec);
  EXPECT_TRUE(cursor) << message(cursor);
  return cursor ? std::move(*cursor) : std::move(*SlotCursor::make({"2026-03-01", "2026-03-02", "1d", "UTC"}));
}

TEST(SlotCursor, WalksTheNightInAutumn) {
  SlotCursor slot = cursor_of({"2026-10-25T01:00", "2026-10-25T03:00", "1h", "Europe/Berlin"});
  EXPECT_EQ(slot.steps(), 3);
  EXPECT_EQ(slot.usual_length(), kHour);
  const std::int64_t start = slot.begin();
  for (const char* label : {"2026-10-25T01:00:00+02:00", "2026-10-25T02:00:00+02:00", "2026-10-25T02:00:00+01:00"}) {
    EXPECT_EQ(slot.begin(), start + slot.step() * kHour);
    EXPECT_EQ(slot.end(), slot.begin() + kHour);
    EXPECT_EQ(slot.label(), label);
    slot.advance();
  }
  EXPECT_EQ(slot.step(), 3);
  EXPECT_EQ(slot.begin(), start + 3 * kHour);
  EXPECT_EQ(slot.end(), slot.begin());
}

TEST(SlotCursor, RefusesWhatAnAxisRefuses) {
  for (const SlotSpec& spec :
       {SlotSpec{"2026-03-01T00:30", "2026-03-02", "1h", "UTC"}, SlotSpec{"2026-03-01", "2026-03-09", "1w", "UTC"},
        SlotSpec{"2026-03-01", "2026-03-01", "1h", "UTC"}, SlotSpec{"2026-03-01", "2026-03-02", "7h", "UTC"},
        SlotSpec{"2026-03-01", "2026-03-02", "1h", "Nowhere"}, SlotSpec{"soon", "2026-03-02", "1h", "UTC"},
        SlotSpec{"2026-01-01", "2026-04-26T17:46:41", "1s", "UTC"}}) {
    const auto cursor = SlotCursor::make(spec);
    ASSERT_FALSE(cursor);
    const auto axis = make_axis(spec);
    ASSERT_FALSE(axis);
    EXPECT_EQ(cursor.error().kind, ErrorKind::usage);
    EXPECT_EQ(cursor.error().text(), axis.error().text());
  }
}

TEST(SlotCursor, CountsTheMostSlotsThereMayBe) {
  SlotCursor slot = cursor_of({"2026-01-01", "2026-04-26T17:46:40", "1s", "UTC"});
  EXPECT_EQ(slot.steps(), kMostSlots);
  while (slot.step() + 1 < slot.steps()) slot.advance();
  EXPECT_EQ(slot.label(), "2026-04-26T17:46:39+00:00");
}

TEST(SlotCursor, KnowsTheLengthThatMostSlotsHave) {
  EXPECT_EQ(cursor_of({"2026-01-01", "2027-01-01", "1d", "Europe/Berlin"}).usual_length(), kDay);
  EXPECT_EQ(cursor_of({"2026-03-29", "2026-03-30", "1d", "Europe/Berlin"}).usual_length(), 23 * kHour);
  EXPECT_EQ(cursor_of({"2026-10-25T02:00+02:00", "2026-10-25T04:00", "2h", "Europe/Berlin"}).usual_length(), 3 * kHour);
  EXPECT_EQ(cursor_of({"2026-03-28", "2026-03-30", "1d", "Europe/Berlin"}).usual_length(), kDay);  // one of each
}

// Where slots begin, asked of the clock on the wall minute by minute.
std::vector<std::int64_t> boundaries_by_the_clock(const Zone& zone, std::int64_t start, std::int64_t end,
                                                  std::int64_t length) {
  const auto local = [&](std::int64_t instant) { return instant + zone.offset_at(instant); };
  const std::int64_t first_day = floor_divide(local(start), kDay);
  std::vector<std::int64_t> boundaries = {start};
  std::int64_t latest = first_day;  // a date that the clocks go back to has begun already
  for (std::int64_t t = start + kMinute; t < end; t += kMinute) {
    const std::int64_t day = floor_divide(local(t), kDay);
    if (length >= kDay) {
      const std::int64_t size = length / kDay;
      if (day > latest && (day - first_day) / size != (latest - first_day) / size) boundaries.push_back(t);
      latest = std::max(latest, day);
      continue;
    }
    const std::int64_t back = local(t - kMinute) + kMinute - local(t);
    const bool entered = floor_divide(local(t), length) != floor_divide(local(t - kMinute), length);
    if (entered || (back > 0 && back % length == 0)) boundaries.push_back(t);
  }
  boundaries.push_back(end);
  return boundaries;
}

std::string text_of(const Date& date, int hour = 0) {
  char text[40];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:00", date.year, date.month, date.day, hour);
  return text;
}

TEST(SlotCursor, AgreesWithTheAxisAndWithTheClockOnTheWallInManyZones) {
  constexpr std::pair<const char*, std::int64_t> kLengths[] = {
      {"5min", 5 * kMinute}, {"15min", 15 * kMinute}, {"30min", 30 * kMinute}, {"40min", 40 * kMinute}, {"1h", kHour},
      {"2h", 2 * kHour},     {"3h", 3 * kHour},       {"8h", 8 * kHour},       {"24h", kDay},           {"1d", kDay},
      {"2d", 2 * kDay},      {"1w", 7 * kDay}};
  std::mt19937_64 random(21);
  int compared = 0, with_change = 0;
  for (const char* name :
       {"UTC", "Europe/Berlin", "Europe/London", "America/New_York", "America/St_Johns", "America/Sao_Paulo",
        "America/Havana", "Africa/Cairo", "Asia/Kolkata", "Asia/Kathmandu", "Asia/Beirut", "Asia/Tehran",
        "Australia/Lord_Howe", "Pacific/Apia", "Pacific/Chatham", "Antarctica/Troll"}) {
    const auto zone = *Zone::find(name);
    // Around the changes of the clocks since 1975, and anywhere.
    std::vector<std::int64_t> changes;
    for (const Stretch& stretch : zone->stretches()) {
      if (stretch.begin > 5 * 365 * kDay && stretch.begin < 80 * 365 * kDay) changes.push_back(stretch.begin);
    }
    for (int round = 0; round < 40; ++round) {
      const std::int64_t around = changes.empty() || round % 4 == 0
                                      ? static_cast<std::int64_t>(random() % (80 * 365)) * kDay
                                      : changes[random() % changes.size()];
      const auto& [text, length] = kLengths[random() % std::size(kLengths)];
      const std::int64_t first = floor_divide(around, kDay) - static_cast<std::int64_t>(random() % 3);
      const std::int64_t days = length > kDay ? length / kDay * static_cast<std::int64_t>(1 + random() % 2)
                                              : static_cast<std::int64_t>(1 + random() % 5);
      const SlotSpec spec{text_of(civil_from_days(first)), text_of(civil_from_days(first + days)), text, name};
      const auto axis = make_axis(spec);
      auto cursor = SlotCursor::make(spec);
      ASSERT_EQ(axis.has_value(), cursor.has_value());
      if (!axis) continue;  // a midnight that was skipped or came twice
      const auto wanted = boundaries_by_the_clock(*zone, axis->boundaries.front(), axis->boundaries.back(), length);
      ASSERT_EQ(axis->boundaries, wanted) << spec.start << " " << spec.end << " " << text << " " << name;
      ASSERT_EQ(cursor->steps(), axis->steps());
      std::map<std::int64_t, std::int64_t> lengths;
      for (std::size_t i = 0; i + 1 < wanted.size(); ++i, cursor->advance()) {
        ASSERT_EQ(cursor->step(), static_cast<std::int64_t>(i));
        ASSERT_EQ(cursor->begin(), wanted[i]);
        ASSERT_EQ(cursor->end(), wanted[i + 1]);
        ASSERT_EQ(cursor->label(), axis->labels[i]);
        ++lengths[wanted[i + 1] - wanted[i]];
      }
      ASSERT_EQ(cursor->step(), cursor->steps());
      ASSERT_EQ(cursor->begin(), wanted.back());
      for (const auto& [size, count] : lengths) ASSERT_LE(count, lengths[cursor->usual_length()]);
      ++compared;
      with_change += zone->offset_at(wanted.front()) != zone->offset_at(wanted.back()) ? 1 : 0;
    }
  }
  EXPECT_GT(compared, 500);
  EXPECT_GT(with_change, 100);
}

void expect_after(const SlotSpec& spec, const std::string& end) {
  const auto after = span_after(spec);
  ASSERT_TRUE(after) << message(after);
  EXPECT_EQ(after->start, spec.end);
  EXPECT_EQ(after->end, end);
  EXPECT_EQ(after->length, spec.length);
  EXPECT_EQ(after->zone, spec.zone);
  SlotCursor slot = cursor_of(spec);
  while (slot.step() < slot.steps()) slot.advance();
  EXPECT_EQ(cursor_of(*after).begin(), slot.begin());
}

TEST(SpanAfter, MonthsAreFollowedByMonths) {
  expect_after({"2026-01-01", "2026-02-01", "1h", "UTC"}, "2026-03-01T00:00:00+00:00");  // 31 days, 28
  expect_after({"2028-01-01", "2028-02-01", "1d", "UTC"}, "2028-03-01T00:00:00+00:00");  // 31 days, 29
  expect_after({"2026-03-01", "2026-04-01", "1h", "Europe/Berlin"}, "2026-05-01T00:00:00+02:00");
  expect_after({"2026-09-01", "2026-10-01", "1h", "Europe/Berlin"}, "2026-11-01T00:00:00+01:00");
  expect_after({"2026-10-01", "2027-01-01", "1d", "America/New_York"}, "2027-04-01T00:00:00-04:00");  // a quarter
  expect_after({"2026-12-01", "2027-01-01", "15min", "UTC"}, "2027-02-01T00:00:00+00:00");
  expect_after({"2026-01-01", "2026-07-01", "3mo", "Europe/Berlin"}, "2027-01-01T00:00:00+01:00");  // 181 days, 184
}

TEST(SpanAfter, AYearIsFollowedByAYear) {
  expect_after({"2027-01-01", "2028-01-01", "1d", "Europe/Berlin"}, "2029-01-01T00:00:00+01:00");
  expect_after({"2028-01-01", "2029-01-01", "1h", "UTC"}, "2030-01-01T00:00:00+00:00");
  expect_after({"2026-07-01", "2027-07-01", "1d", "Europe/Berlin"}, "2028-07-01T00:00:00+02:00");
}

TEST(SpanAfter, WeeksAndDaysAreFollowedByAsMany) {
  expect_after({"2026-03-02", "2026-03-16", "1w", "Europe/Berlin"}, "2026-03-30T00:00:00+02:00");
  expect_after({"2026-01-05", "2027-01-04", "1w", "UTC"}, "2028-01-03T00:00:00+00:00");  // 52 weeks
  expect_after({"2026-03-27", "2026-03-28", "1h", "Europe/Berlin"}, "2026-03-29T00:00:00+01:00");
  expect_after({"2026-01-15", "2026-02-15", "1d", "UTC"}, "2026-03-18T00:00:00+00:00");  // 31 days
  // Four weeks that happen to be February are weeks: March is no whole number of them.
  expect_after({"2027-02-01", "2027-03-01", "1w", "UTC"}, "2027-03-29T00:00:00+00:00");
}

TEST(SpanAfter, HoursAreThoseOfTheClockOnTheWall) {
  expect_after({"2026-03-28T06:00", "2026-03-29T06:00", "1h", "Europe/Berlin"}, "2026-03-30T06:00:00+02:00");
  expect_after({"2026-03-29T00:00", "2026-03-29T06:00", "2h", "Europe/Berlin"}, "2026-03-29T12:00:00+02:00");
  expect_after({"2026-03-28T18:00", "2026-03-29T00:00", "2h", "Europe/Berlin"}, "2026-03-29T06:00:00+02:00");
  expect_after({"2026-10-24T18:00", "2026-10-25T00:00", "1h", "Europe/Berlin"}, "2026-10-25T06:00:00+01:00");
  expect_after({"2026-03-01T00:00", "2026-03-01T00:00:30", "10s", "UTC"}, "2026-03-01T00:01:00+00:00");
  // An end that the clocks skip, and one that they show twice.
  expect_after({"2026-03-28T22:00", "2026-03-29T00:00", "2h", "Europe/Berlin"}, "2026-03-29T03:00:00+02:00");
  expect_after({"2026-10-25T00:00", "2026-10-25T01:00", "1h", "Europe/Berlin"}, "2026-10-25T02:00:00+02:00");
  expect_after({"2026-10-25T01:30", "2026-10-25T02:00+01:00", "30min", "Europe/Berlin"}, "2026-10-25T02:30:00+01:00");
  // No length on the clock: 02:00 to 02:00, and backwards.
  expect_after({"2026-10-25T02:00+02:00", "2026-10-25T02:00+01:00", "1h", "Europe/Berlin"},
               "2026-10-25T03:00:00+01:00");
  expect_after({"2026-10-25T02:30+02:00", "2026-10-25T02:00+01:00", "30min", "Europe/Berlin"},
               "2026-10-25T02:30:00+01:00");
}

TEST(SpanAfter, ADateThatBeginsAfterMidnightIsAWholeDay) {
  expect_after({"2018-11-03", "2018-11-04T01:00", "1d", "America/Sao_Paulo"}, "2018-11-05T00:00:00-02:00");
  expect_after({"2018-11-04T01:00", "2018-11-05", "1h", "America/Sao_Paulo"}, "2018-11-06T00:00:00-02:00");
  expect_after({"2018-11-02", "2018-11-03", "1h", "America/Sao_Paulo"}, "2018-11-04T01:00:00-02:00");
  expect_after({"2011-12-28", "2011-12-29", "1d", "Pacific/Apia"}, "2011-12-31T00:00:00+14:00");  // no 30th
}

TEST(SpanAfter, WritesInUtcWhereTheOffsetHasSeconds) {
  expect_after({"1880-01-01", "1880-02-01", "1d", "Europe/Berlin"}, "1880-02-29T23:06:32+00:00");
}

TEST(SpanAfter, RefusesWhatIsNoSpanAndWhatWouldEndTooLate) {
  expect_failure(span_after({"2026-03-01T00:30", "2026-03-02", "1h", "UTC"}), ErrorKind::usage, "start:");
  expect_failure(span_after({"2498-06-01", "2499-06-01", "1d", "UTC"}), ErrorKind::usage, "after the year 2499");
  EXPECT_TRUE(span_after({"2498-01-01", "2498-12-01", "1d", "UTC"}));
}

TEST(SlotsAhead, FindTheSlotOfAnInstantAsTheCursorWalksThem) {
  const SlotSpec spec{"2026-10-24", "2026-10-27", "1d", "Europe/Berlin"};  // the second day has 25 hours
  for (const bool goes_on : {false, true}) {
    auto ahead = SlotsAhead::make(spec, goes_on);
    ASSERT_TRUE(ahead);
    std::int64_t last = 0;
    for (SlotCursor cursor = cursor_of(spec); cursor.step() < cursor.steps(); cursor.advance()) {
      EXPECT_EQ(ahead->slot_of(cursor.begin()), cursor.begin());
      EXPECT_EQ(ahead->slot_of(cursor.end() - 1), cursor.begin());
      last = cursor.end();
    }
    EXPECT_EQ(ahead->slot_of(cursor_of(spec).begin() - 1), std::nullopt);
    // Three days follow three days.
    const auto following = span_after(spec);
    ASSERT_TRUE(following);
    const std::int64_t end = cursor_of(*following).span_end();
    EXPECT_EQ(ahead->slot_of(last), goes_on ? std::optional(last) : std::nullopt);
    EXPECT_EQ(ahead->slot_of(end), goes_on ? std::optional(end) : std::nullopt);
    ahead->forget_before(last);
    EXPECT_EQ(ahead->slot_of(last - 1), std::nullopt);
    EXPECT_EQ(ahead->slot_of(end), goes_on ? std::optional(end) : std::nullopt);
  }
}

TEST(SlotsAhead, EndWithTheCalendar) {
  auto ahead = SlotsAhead::make({"2499-01-01", "2499-12-31", "1d", "UTC"}, true);
  ASSERT_TRUE(ahead);
  EXPECT_TRUE(ahead->slot_of(kLastInstant - kDay - 1));
  EXPECT_FALSE(ahead->slot_of(kLastInstant - kDay)) << "the next span would end after the last year";
}

}  // namespace
}  // namespace chronoveil::data::testing
