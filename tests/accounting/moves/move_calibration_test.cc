// Calibration of what moves values in time: the least disturbance, on the private side, or the smallest δ there is.
#include <gtest/gtest.h>

#include <cmath>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/accounting/events/moves/noisy_sort.h"
#include "chronoveil/accounting/events/moves/ranswitch.h"
#include "chronoveil/accounting/moves/calibration.h"
#include "chronoveil/accounting/published.h"

namespace chronoveil::accounting {
namespace {

Result<Calibration> calibrated(const Event& event, double epsilon, double delta,
                               Analysis analysis = Analysis::certified) {
  Options options;
  options.analysis = analysis;
  return calibrate(opened(event), *Epsilon::make(epsilon), *Delta::make(delta), options);
}

double delta_of(const Event& event, double epsilon) { return delta_at(event, *Epsilon::make(epsilon))->delta; }

// Within (ε, δ), and not with a parameter that is larger by `slack`.
void expect_largest(const Event& event, double epsilon, double delta, double slack) {
  const auto found = calibrated(event, epsilon, delta);
  ASSERT_TRUE(found) << to_text(event) << ": " << found.error().text();
  EXPECT_LE(found->price.epsilon, epsilon);
  EXPECT_LE(delta_of(found->event, epsilon), delta * (1 + 1e-9));
  Event more = with_noise(opened(event), found->noise * (1 + slack));
  EXPECT_GT(delta_of(more, epsilon), delta) << to_text(found->event);
}

TEST(MoveCalibration, FindsTheLargestStayWithinTheBudget) {
  for (int k : {2, 10, 80})
    for (double epsilon : {1.0, 4.0})
      for (double share : {0.05, 0.5}) {
        const double least = best_ranswitch(k, epsilon).delta;
        expect_largest({RanSwitch{k, 0.9}, 1}, epsilon, least + share * (1 - least), 1e-9);
      }
  expect_largest({RanSwitch{6, 0.9}, 3}, 4, 0.9, 1e-5);
  expect_largest({StaSwitch{3, 0.9}, 1}, 2, 0.6, 1e-5);
}

TEST(MoveCalibration, TheSmallestDeltaItselfIsReached) {
  const BestSwitch best = best_ranswitch(10, 2);
  const auto found = calibrated({RanSwitch{10, 0.5}, 1}, 2, best.delta * (1 + 1e-9));
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_NEAR(found->noise, best.stay, 1e-6);
}

TEST(MoveCalibration, NamesTheSmallestDeltaWhereNothingFits) {
  for (double delta : {0.0, 1e-6, 0.4}) {
    const auto none = calibrated({RanSwitch{10, 0.5}, 1}, 2, delta);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::cannot_certify);
    EXPECT_NE(none.error().text().find("the smallest possible delta is 0.432557, with stay 0.45"), std::string::npos)
        << none.error().text();
  }
  const auto stateful = calibrated({StaSwitch{3, 0.5}, 1}, 2, 1e-3);
  ASSERT_FALSE(stateful);
  EXPECT_EQ(stateful.error().kind, ErrorKind::cannot_certify);
  EXPECT_NE(stateful.error().text().find("the smallest possible delta is"), std::string::npos);
}

TEST(MoveCalibration, NoisySortIsItsOwnPriceWhenPure) {
  const auto pure = calibrated({NoisySort{24, 1, NoisySort::Law::staircase, {}}, 1}, 0.7, 0);
  ASSERT_TRUE(pure);
  EXPECT_EQ(pure->noise, 0.7);
  EXPECT_EQ(pure->price.epsilon, 0.7);
  for (auto law : {NoisySort::Law::laplace, NoisySort::Law::staircase}) {
    expect_largest({NoisySort{24, 1, law, {}}, 1}, 1, 1e-2, 1e-6);
    expect_largest({NoisySort{24, 1, law, 400}, 1}, 1, 1e-2, 1e-6);
  }
  const auto twice = calibrated({NoisySort{24, 1, NoisySort::Law::laplace, {}}, 2}, 1, 0);
  ASSERT_TRUE(twice);
  EXPECT_NEAR(twice->noise, 0.5, 1e-3);
  EXPECT_LE(twice->price.epsilon, 1);
}

TEST(MoveCalibration, SaysWhichMaxShiftWouldDo) {
  for (auto law : {NoisySort::Law::laplace, NoisySort::Law::staircase}) {
    const auto none = calibrated({NoisySort{10, 1, law, 50}, 1}, 1, 1e-6);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::cannot_certify);
    const std::string& message = none.error().text();
    const auto at = message.find("a max_shift of ");
    ASSERT_NE(at, std::string::npos) << message;
    const std::int64_t enough = std::stoll(message.substr(at + 15));
    EXPECT_TRUE(calibrated({NoisySort{10, 1, law, enough}, 1}, 1, 1e-6));
    EXPECT_FALSE(calibrated({NoisySort{10, 1, law, enough - 1}, 1}, 1, 1e-6));
    const auto impure = calibrated({NoisySort{10, 1, law, 50}, 1}, 1, 0);
    ASSERT_FALSE(impure);
    EXPECT_NE(impure.error().text().find("cannot be pure"), std::string::npos);
  }
}

TEST(MoveCalibration, PublishedNumbersAreSolvedForLargeStay) {
  // ε = 2, k = 10: the paper states δ = 0.060; over sets of outputs it is 0.444.
  const auto found = calibrated({RanSwitch{10, 0.5}, 1}, 2, 0, Analysis::published);
  ASSERT_TRUE(found) << found.error().text();
  EXPECT_EQ(found->price.certificate, Certificate::as_published);
  EXPECT_NEAR(found->price.epsilon, 2, 1e-9);
  EXPECT_LE(found->price.epsilon, 2);
  EXPECT_NEAR(found->price.delta, 0.060, 5e-4);
  EXPECT_NEAR(delta_of(found->event, 2), 0.444, 1e-3);
  EXPECT_FALSE(calibrated({RanSwitch{10, 0.5}, 1}, 2, 0.05, Analysis::published));
  const auto price = delta_at(found->event, *Epsilon::make(2));
  ASSERT_TRUE(price->nominal);
  EXPECT_EQ(price->nominal->epsilon, found->price.epsilon);
  EXPECT_EQ(price->nominal->delta, found->price.delta);
}

TEST(MoveCalibration, OfIndependentChannelsEachGetsItsShareOfThePublishedEpsilon) {
  for (const Event& event : {Event{RanSwitch{10, 0.5}, 3}, {StaSwitch{10, 0.5}, 3}}) {
    const auto one = calibrated({event.kind, 1}, 2, 0, Analysis::published);
    const auto three = calibrated(event, 6, 0, Analysis::published);
    ASSERT_TRUE(three) << three.error().text();
    EXPECT_NEAR(three->noise, one->noise, 1e-12);
    EXPECT_LE(three->price.epsilon, 6);
    EXPECT_NEAR(three->price.epsilon, 6, 1e-9);
    EXPECT_NEAR(three->price.delta, 3 * one->price.delta, 1e-12);
    EXPECT_EQ(three->event.count, 3);
    EXPECT_FALSE(calibrated(event, 6, one->price.delta, Analysis::published));
  }
  const auto threshold = calibrated({Threshold{4, 1}, 2}, 4.5, 0, Analysis::published);
  ASSERT_TRUE(threshold) << threshold.error().text();
  EXPECT_EQ(threshold->noise, 3);
  EXPECT_EQ(threshold->event.count, 2);
  EXPECT_NEAR(threshold->price.epsilon, 4 * std::log(3.0), 1e-12);
  EXPECT_FALSE(calibrated({Threshold{4, 1}, 2}, 4, 0, Analysis::published));
  EXPECT_FALSE(calibrated({RanSwitch{10, 0.5}, 100}, 200, 0, Analysis::published)) << "a delta of 1 says nothing";
}

double published_threshold(std::int64_t window, double epsilon) {
  const auto found = calibrated({Threshold{window, 1}, 1}, epsilon, 0, Analysis::published);
  if (!found) return 0;
  EXPECT_EQ(found->parameter, "threshold");
  EXPECT_EQ(std::get<Threshold>(found->event.kind).threshold, found->noise);
  EXPECT_EQ(found->price.epsilon, nominal_of(found->event)->epsilon);
  return found->noise;
}

TEST(MoveCalibration, TheThresholdIsTheLargestWithinEpsilon) {
  EXPECT_EQ(published_threshold(4, 2.5), 3) << "2 has the same nominal epsilon, and values wait longer";
  EXPECT_EQ(published_threshold(10, 100), 9);
  for (std::int64_t window : {3, 5, 10, 20})
    for (double epsilon : {0.1, 1.0, 2.5, 3.1, 4.0, 4.4, 5.0, 7.0, 7.2, 12.0, 100.0}) {
      std::int64_t largest = 0;
      for (std::int64_t c0 = 1; c0 < window; ++c0)
        if (nominal_of(Event{Threshold{window, c0}, 1})->epsilon <= epsilon) largest = c0;
      EXPECT_EQ(published_threshold(window, epsilon), static_cast<double>(largest)) << window << ", " << epsilon;
    }
}

TEST(MoveCalibration, AnEpsilonBelowThatOfEveryThresholdIsRefused) {
  for (const auto& [window, smallest] : {std::pair<std::int64_t, const char*>{4, "2.1972"},
                                         {10, "3.0381"},  // of c0 = 5
                                         {2, "infinite"}}) {
    const auto none = calibrated({Threshold{window, 1}, 1}, 1, 0, Analysis::published);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().kind, ErrorKind::cannot_certify);
    EXPECT_NE(none.error().text().find(std::string("smallest published epsilon is ") + smallest), std::string::npos)
        << none.error().text();
  }
}

TEST(MoveCalibration, ThresholdHasNoCertifiedPrice) {
  const auto none = calibrated({Threshold{4, 2}, 1}, 3, 0.1);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::cannot_certify);
  EXPECT_NE(none.error().text().find("--analysis published"), std::string::npos);
}

TEST(MoveCalibration, ParametersOfDifferentKindsAreNotOneNumber) {
  const Event mixed{Compose{{{RanSwitch{4, kToCalibrate}, 1}, {Gaussian{kToCalibrate}, 1}}}, 1};
  const auto none = calibrate(mixed, *Epsilon::make(1), *Delta::make(0.5));
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().kind, ErrorKind::usage);
}

}  // namespace
}  // namespace chronoveil::accounting
