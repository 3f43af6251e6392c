#include <gtest/gtest.h>

#include "chronoveil/forecasting/sign_lags/plan.h"
#include "chronoveil/forecasting/slots.h"

namespace chronoveil::forecasting {
namespace {

SignLagsConfig chosen(const SignLagsWishes& wishes) { return choose_sign_lags(wishes).value(); }
SignLagsWishes hourly(std::int64_t shortest) {
  return {.forecast = 24, .slot_seconds = kHour, .weekly = true, .seasons = {}, .context = {}, .shortest = shortest};
}
// The key that a refusal names.
std::string blamed(const SignLagsConfig& config) {
  const auto checked = check_sign_lags(config);
  return checked ? "" : checked.error().parameter;
}
using Seasons = std::vector<std::int64_t>;

TEST(SignLagsPlan, HoursHaveDaysWeeksAndFortnightsIfThereIsRoom) {
  EXPECT_EQ(chosen(hourly(60 * 24)), (SignLagsConfig{24, 336, 24, {24, 168, 336}}));
  EXPECT_EQ(chosen(hourly(60 * 24 - 1)), (SignLagsConfig{24, 192, 24, {24, 168}}));
  EXPECT_EQ(chosen(hourly(15 * 24)), (SignLagsConfig{24, 192, 24, {24, 168}}));
  EXPECT_EQ(chosen(hourly(15 * 24 - 1)), (SignLagsConfig{24, 96, 24, {24, 48}}));
  EXPECT_EQ(chosen(hourly(6 * 24)), (SignLagsConfig{24, 96, 24, {24, 48}}));
  EXPECT_EQ(chosen(hourly(6 * 24 - 1)), (SignLagsConfig{24, 24, 24, {24}}));
  EXPECT_EQ(chosen(hourly(2 * 24)), (SignLagsConfig{24, 24, 24, {24}}));
  EXPECT_EQ(chosen(hourly(2 * 24 - 1)), (SignLagsConfig{24, 46, 1, {1}}));
}

TEST(SignLagsPlan, WithoutAWeeklyRhythmDaysAlone) {
  SignLagsWishes solar = hourly(50'880);
  solar.slot_seconds = 600;
  solar.forecast = 60;
  solar.weekly = false;
  EXPECT_EQ(chosen(solar), (SignLagsConfig{60, 576, 144, {144, 288}}));
}

TEST(SignLagsPlan, DaysHaveWeeksAndMonthsHaveYears) {
  SignLagsWishes days = hourly(400);
  days.slot_seconds = kDay;
  days.forecast = 7;
  EXPECT_EQ(chosen(days), (SignLagsConfig{7, 28, 7, {7, 14}}));
  days.slot_seconds = 30 * kDay;
  EXPECT_EQ(chosen(days), (SignLagsConfig{7, 48, 12, {12, 24}}));
}

TEST(SignLagsPlan, WithoutARhythmStepsAreComparedWithTheOneBefore) {
  SignLagsWishes rates = hourly(7438);
  rates.slot_seconds = 0;
  rates.forecast = 30;
  EXPECT_EQ(chosen(rates), (SignLagsConfig{30, 60, 1, {1}}));
  rates.shortest = 40;
  EXPECT_EQ(chosen(rates).context, 39);
}

TEST(SignLagsPlan, AForecastLongerThanADayComparesWeeks) {
  SignLagsWishes two_days = hourly(10'000);
  two_days.forecast = 48;
  EXPECT_EQ(chosen(two_days), (SignLagsConfig{48, 192, 24, {168}}));
  two_days.weekly = false;
  EXPECT_EQ(chosen(two_days), (SignLagsConfig{48, 60, 1, {1}}));
}

TEST(SignLagsPlan, MinutesReadAFewDays) {
  SignLagsWishes minutes = hourly(200'000);
  minutes.slot_seconds = 60;
  minutes.forecast = 60;
  EXPECT_EQ(chosen(minutes), (SignLagsConfig{60, 2880, 1440, {1440, 10'080, 20'160}}));
  minutes.slot_seconds = 300;
  EXPECT_EQ(chosen(minutes), (SignLagsConfig{60, 14 * 288, 288, {288, 2016, 4032}}));
}

TEST(SignLagsPlan, SeasonsAndContextCanBeAskedFor) {
  SignLagsWishes wishes = hourly(5000);
  wishes.seasons = {24, 168};
  EXPECT_EQ(chosen(wishes), (SignLagsConfig{24, 168, 24, {24, 168}}));
  wishes.context = 48;
  EXPECT_EQ(chosen(wishes), (SignLagsConfig{24, 48, 24, {24, 168}}));
  wishes.context = 50;
  EXPECT_EQ(choose_sign_lags(wishes).error().parameter, "train.context") << "not whole days";
  wishes.context = 5000;
  EXPECT_FALSE(choose_sign_lags(wishes));
  wishes.context.reset();
  wishes.seasons = {30};  // no whole days: each place of this season has its own spread
  EXPECT_EQ(chosen(wishes), (SignLagsConfig{24, 120, 30, {30}}));
  wishes.seasons = {1};
  EXPECT_EQ(chosen(wishes), (SignLagsConfig{24, 60, 1, {1}}));
}

TEST(SignLagsPlan, WhateverIsChosenPassesItsOwnCheckAndFitsTheShortestSeries) {
  for (const double slot : {0.0, 600.0, 900.0, kHour, 6 * kHour, kDay, kWeek, 30 * kDay}) {
    for (const std::int64_t forecast : {1, 7, 24, 60, 200}) {
      for (const bool weekly : {true, false}) {
        for (std::int64_t shortest = 3; shortest < 20'000; shortest = shortest * 3 / 2) {
          const SignLagsConfig config = chosen({forecast, slot, weekly, {}, {}, shortest});
          EXPECT_EQ(blamed(config), "");
          EXPECT_LE(config.history(), shortest);
          EXPECT_EQ(config.forecast, forecast);
        }
      }
    }
  }
}

TEST(SignLagsPlan, RefusalsNameTheKeyThatHelps) {
  EXPECT_EQ(blamed({24, 336, 24, {24, 168}}), "");
  EXPECT_EQ(blamed({24, 336, 24, {}}), "train.seasons");
  EXPECT_EQ(blamed({24, 336, 24, {24, 24}}), "train.seasons");
  EXPECT_EQ(blamed({24, 336, 24, {168, 24}}), "train.seasons");
  EXPECT_EQ(blamed({24, 336, 24, {25}}), "train.seasons");
  EXPECT_EQ(blamed({1, 1, 1, {0}}), "train.seasons");
  EXPECT_EQ(blamed({1, 1, 1, {1, 2, 3, 4, 5, 6, 7, 8, 9}}), "train.seasons");
  EXPECT_EQ(blamed({2, 1, 1, {1, 2}}), "train.seasons");
  EXPECT_EQ(blamed({24, 0, 24, {24}}), "train.context");
  EXPECT_EQ(blamed({24, 25, 24, {24}}), "train.context");
  EXPECT_EQ(blamed({24, 1 << 16, 1, {24}}), "train.context") << "with the forecast too many lags";
  EXPECT_EQ(blamed({8000, 8000, 1, {8000}}), "train.context") << "a day of computing";
  EXPECT_EQ(blamed({60'000, 300, 1, {1}}), "train.context") << "weights that fill the memory";
  EXPECT_EQ(blamed({25, 24, 24, {24}}), "train.forecast");
  EXPECT_EQ(blamed({0, 24, 24, {24}}), "train.forecast");
  EXPECT_EQ(blamed({1000, 60, 1, {1}}), "");
  for (const Seasons& wrong : {Seasons{0, 5}, Seasons{-24}, Seasons{std::int64_t{1} << 62}, Seasons{5, 3}}) {
    SignLagsWishes asked = hourly(5000);
    asked.seasons = wrong;
    EXPECT_EQ(choose_sign_lags(asked).error().parameter, "train.seasons");
  }
  EXPECT_EQ(choose_sign_lags(hourly(2)).error().kind, ErrorKind::bad_data);
  SignLagsWishes wishes = hourly(300);
  wishes.seasons = {24, 168};
  wishes.context = 144;
  EXPECT_EQ(choose_sign_lags(wishes).error().parameter, "train.context");
  EXPECT_NE(choose_sign_lags(wishes).error().text().find("132"), std::string::npos) << "what there is room for";
}

}  // namespace
}  // namespace chronoveil::forecasting
