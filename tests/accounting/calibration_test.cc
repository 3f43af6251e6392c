// Calibration ends on the private side and close to the target, for every event; max_count is the last that fits.
#include "accounting/bracketing.h"
#include "accounting/samples.h"

namespace chronoveil::accounting {
namespace {

void expect_calibrated(const Event& open, double epsilon, double delta) {
  const auto found = calibrate(open, *Epsilon::make(epsilon), *Delta::make(delta));
  ASSERT_TRUE(found) << to_text(with_noise(open, 1)) << ": " << found.error().text();
  EXPECT_FALSE(has_open_noise(found->event));
  EXPECT_LE(found->price.epsilon, epsilon) << to_text(found->event);
  const auto again = epsilon_at(found->event, *Delta::make(delta));
  ASSERT_TRUE(again);
  EXPECT_LE(again->epsilon, epsilon) << to_text(found->event);
  EXPECT_GE(again->epsilon, epsilon * (1 - 2e-3)) << to_text(found->event) << " at " << delta;
  // A second time, from the same open event, it is the same noise.
  const auto twice = calibrate(open, *Epsilon::make(epsilon), *Delta::make(delta));
  EXPECT_EQ(found->noise, twice->noise);
}

TEST(Calibration, EndsOnThePrivateSideForEveryEvent) {
  for (const Event& sample : sample_events())
    for (auto [count, epsilon] : {std::pair(1, 2.0), std::pair(60, 0.3)}) {
      Event open = opened(sample);
      open.count = count;
      expect_calibrated(open, epsilon, 1e-6);
    }
}

TEST(Calibration, OneNoiseServesAWholeComposition) {
  const Event open{
      Compose{{opened({Gaussian{1}, 1}), opened({Mixture{{{0, 1}, {0.9, 0.1}}, {{0}, {1}}, 1}, 50}), {Pure{0.01}, 3}}},
      2};
  expect_calibrated(open, 1, 1e-7);
}

TEST(Calibration, TheGaussianIsCalibratedToTheLastDigits) {
  const auto found = calibrate(opened({Gaussian{1}, 1}), *Epsilon::make(0.5), *Delta::make(1e-5));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->parameter, "noise_multiplier");
  const auto price = oracle::gaussian(1 / Real(found->noise), Real(0.5));
  EXPECT_LE(price, Real(1e-5));
  EXPECT_GE(price, Real(1e-5) * (1 - Real(1e-8)));
}

// With noise that is good for one step, 400 of these have no price within reach.
TEST(Calibration, FindsTheNoiseOfManyPoissonStepsForALargeBudget) {
  StructuredSubsampling step{};
  step.series = 6;
  step.length = {16872};
  step.context_length = 168;
  step.forecast_length = 24;
  step.batch_size = 192;
  step.windows_per_series = 32;
  step.bottom_level = StructuredSubsampling::Bottom::poisson;
  step.noise_multiplier = kToCalibrate;
  expect_calibrated({step, 400}, 8, 1e-7);
}

TEST(Calibration, SaysWhyNoNoiseReachesTheTarget) {
  const auto leak = calibrate(opened({Approximate{1, 1e-3}, 1}), *Epsilon::make(1), *Delta::make(1e-6));
  ASSERT_FALSE(leak);
  EXPECT_EQ(leak.error().kind, ErrorKind::cannot_certify);
  EXPECT_NE(leak.error().text().find("infinite"), std::string::npos) << leak.error().text();
  const auto unbounded = calibrate(opened({Gaussian{1}, 1}), *Epsilon::make(1), *Delta::make(0));
  ASSERT_FALSE(unbounded);
  EXPECT_FALSE(calibrate({Gaussian{1}, 1}, *Epsilon::make(1), *Delta::make(1e-6)));
  EXPECT_FALSE(calibrate(opened({Gaussian{1}, 1}), *Epsilon::make(0), *Delta::make(1e-6)));
}

TEST(Calibration, TheLargestCountIsTheLastThatFits) {
  const std::vector<Event> events = sample_events();
  const std::size_t stride = in_torture() ? 1 : kSanitized ? 7 : 3;
  for (std::size_t i = 0; i < events.size(); i += stride) {
    const Event& sample = events[i];
    const double epsilon = 6, delta = 1e-6;
    const auto most = max_count(sample, *Epsilon::make(epsilon), *Delta::make(delta));
    ASSERT_TRUE(most) << to_text(sample) << most.error().text();
    ASSERT_GE(*most, 1) << to_text(sample);
    EXPECT_LE(epsilon_at({sample.kind, *most}, *Delta::make(delta))->epsilon, epsilon) << to_text(sample);
    EXPECT_GT(epsilon_at({sample.kind, *most + 1}, *Delta::make(delta))->epsilon, epsilon) << to_text(sample);
  }
}

TEST(Calibration, NoUseFitsWhereOneIsTooMany) {
  EXPECT_EQ(*max_count({Gaussian{0.1}, 1}, *Epsilon::make(1), *Delta::make(1e-9)), 0);
  EXPECT_EQ(*max_count({Pure{0.5}, 1}, *Epsilon::make(1), *Delta::make(0)), 2);
}

}  // namespace
}  // namespace chronoveil::accounting
