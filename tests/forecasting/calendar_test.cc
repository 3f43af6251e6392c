#include "chronoveil/forecasting/calendar.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace chronoveil::forecasting {
namespace {

std::vector<float> row_of(const Calendar& calendar, std::int64_t step) {
  std::vector<float> row(static_cast<std::size_t>(calendar.covariates()));
  calendar.at(step, row.data());
  return row;
}

TEST(Calendar, IsSineAndCosineOfThePlaceInEachCycle) {
  const Calendar calendar{{{24, 3}, {168, 0.5}, {365.2425, 0}}};
  ASSERT_EQ(calendar.covariates(), 6);
  for (const std::int64_t step : {-1000, -1, 0, 1, 23, 24, 400, 100000}) {
    const auto row = row_of(calendar, step);
    for (std::size_t i = 0; i < 3; ++i) {
      const double angle =
          2 * std::numbers::pi * (static_cast<double>(step) + calendar.cycles[i].phase) / calendar.cycles[i].period;
      EXPECT_NEAR(row[2 * i], std::sin(angle), 1e-6) << step << " " << i;
      EXPECT_NEAR(row[2 * i + 1], std::cos(angle), 1e-6) << step << " " << i;
    }
  }
}

TEST(Calendar, StepsAWholeNumberOfCyclesApartAreTheSame) {
  const Calendar calendar{{{24, 0.3}, {168, 0.3}}};
  for (std::int64_t step = 0; step < 168; ++step) {
    EXPECT_EQ(row_of(calendar, step), row_of(calendar, step + (std::int64_t{168} << 40)));
    EXPECT_EQ(row_of(calendar, step), row_of(calendar, step - (std::int64_t{168} << 40)));
  }
}

TEST(CalendarRows, AreTheSameFloatsAsStepByStep) {
  const Calendar calendar{{{24, 3}, {168, 0.5}, {365.2425, 0}, {20000, 1}, {0.7, 0}, {1, 0}}};
  for (const std::int64_t first : {-500, -1, 0, 77}) {
    for (const std::int64_t count : {1, 30, 600}) {
      const CalendarRows rows(calendar, first, count);
      for (std::int64_t step = first; step < first + count; ++step) {
        const float* row = rows.from(step);
        EXPECT_EQ(std::vector<float>(row, row + calendar.covariates()), row_of(calendar, step)) << first << " " << step;
      }
    }
  }
}

TEST(CalendarOf, TakesTheCyclesThatASlotCanShow) {
  const auto periods = [](double slot_seconds) {
    std::vector<double> all;
    for (const Calendar::Cycle& cycle : calendar_of(slot_seconds, 0).cycles) all.push_back(cycle.period);
    return all;
  };
  EXPECT_EQ(periods(900), (std::vector<double>{96, 672}));
  EXPECT_EQ(periods(3600), (std::vector<double>{24, 168}));
  EXPECT_EQ(periods(86400), (std::vector<double>{7, 365.2425}));
  EXPECT_EQ(periods(604800), (std::vector<double>{365.2425 / 7}));
  EXPECT_EQ(periods(2629746), (std::vector<double>{12}));  // a twelfth of a year
  EXPECT_EQ(periods(31556952), (std::vector<double>{}));   // a year
  EXPECT_EQ(periods(0), (std::vector<double>{}));
  EXPECT_EQ(periods(-1), (std::vector<double>{}));
  EXPECT_EQ(periods(std::numeric_limits<double>::quiet_NaN()), (std::vector<double>{}));
  EXPECT_EQ(periods(std::numeric_limits<double>::infinity()), (std::vector<double>{}));
}

TEST(CalendarOf, StartsTheDayAtMidnightAndTheWeekOnMonday) {
  // Step 0 is Wednesday, 06:00.
  const Calendar calendar = calendar_of(3600, (2 * 24 + 6) * 3600);
  const auto midnight = row_of(calendar, 18), monday = row_of(calendar, 5 * 24 - 6);
  EXPECT_NEAR(midnight[0], 0, 1e-6);
  EXPECT_NEAR(midnight[1], 1, 1e-6);
  EXPECT_NEAR(monday[2], 0, 1e-6);
  EXPECT_NEAR(monday[3], 1, 1e-6);
  EXPECT_LT(midnight[3], 0.9);  // a Thursday
}

TEST(UsualSeason, IsThatOfTheSlot) {
  for (const auto& [minutes, steps] : {std::pair(1, 1440), {5, 288}, {10, 144}, {15, 96}, {30, 48}, {60, 24}, {360, 4}})
    EXPECT_EQ(usual_season(60.0 * minutes), steps) << minutes;
  EXPECT_EQ(usual_season(86400), 7);
  EXPECT_EQ(usual_season(604800), 52);
  EXPECT_EQ(usual_season(2629746), 12);
  EXPECT_EQ(usual_season(28.0 * 86400), 12);
  EXPECT_EQ(usual_season(31.0 * 86400), 12);
  EXPECT_EQ(usual_season(7 * 60), 1);     // does not divide a day
  EXPECT_EQ(usual_season(12 * 3600), 1);  // two steps are no rhythm
  EXPECT_EQ(usual_season(0), 1);
  EXPECT_EQ(usual_season(31556952), 1);
}

}  // namespace
}  // namespace chronoveil::forecasting
