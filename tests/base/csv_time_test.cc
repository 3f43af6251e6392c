#include "chronoveil/base/csv_time.h"

#include <gtest/gtest.h>

namespace chronoveil {
namespace {

constexpr std::int64_t kHour = 3'600'000, kDay = 24 * kHour;
constexpr std::int64_t kSpring = 1'774'738'800'000;  // 2026-03-29T00:00:00+01:00, the night of 23 hours in Berlin

TEST(CsvTime, SlotsOfWholeDaysAreDatesWhateverTheClocksDo) {
  const SlotAxis days{.zone = "Europe/Berlin",
                      .boundaries = {kSpring, kSpring + 23 * kHour, kSpring + 23 * kHour + kDay},
                      .labels = {"2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00"}};
  EXPECT_TRUE(has_whole_days(days));
  EXPECT_EQ(csv_times(days), (std::vector<std::string>{"2026-03-29", "2026-03-30"}));
}

TEST(CsvTime, PartsOfADayKeepTheirOffsetIfItIsTheSameThroughout) {
  const SlotAxis hours{.zone = "Europe/Berlin",
                       .boundaries = {kSpring, kSpring + kHour, kSpring + 2 * kHour},
                       .labels = {"2026-03-29T00:00:00+01:00", "2026-03-29T01:00:00+01:00"}};
  EXPECT_EQ(csv_times(hours), hours.labels);
}

TEST(CsvTime, AreAllInUtcWhereTheClocksChange) {
  const SlotAxis hours{.zone = "Europe/Berlin",
                       .boundaries = {kSpring + kHour, kSpring + 2 * kHour, kSpring + 3 * kHour},
                       .labels = {"2026-03-29T01:00:00+01:00", "2026-03-29T03:00:00+02:00"}};
  EXPECT_EQ(csv_times(hours), (std::vector<std::string>{"2026-03-29T00:00:00+00:00", "2026-03-29T01:00:00+00:00"}));
}

TEST(CsvTime, HalfADayIsNoDayAlsoWhenTheClocksMakeItLonger) {
  const SlotAxis halves{.zone = "Europe/Berlin", .boundaries = {0, 13 * kHour, kDay + kHour}, .labels = {"", ""}};
  EXPECT_FALSE(has_whole_days(halves));
  EXPECT_FALSE(has_whole_days(SlotAxis{}));
  EXPECT_TRUE(csv_times(SlotAxis{}).empty());
}

TEST(CsvTime, IsRightBefore1970) { EXPECT_EQ(csv_time(TimeForm::utc, "", -1000), "1969-12-31T23:59:59+00:00"); }

}  // namespace
}  // namespace chronoveil
