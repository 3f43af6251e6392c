// Every parameter has a range, and the error names the parameter.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/moments.h"

namespace chronoveil::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void expect_refused(const Kind& kind, const std::string& parameter, std::int64_t count = 1) {
  const Event event{kind, count};
  const auto checked = validate(event);
  ASSERT_FALSE(checked) << parameter;
  EXPECT_EQ(checked.error().kind, ErrorKind::usage);
  EXPECT_NE(checked.error().message.find(parameter), std::string::npos) << checked.error().message;
  EXPECT_EQ(checked.error().message.rfind(std::string(name(event)) + ": ", 0), 0U) << checked.error().message;
  // Pricing refuses it, too.
  EXPECT_FALSE(epsilon_at(event, *Delta::make(1e-6)));
  EXPECT_FALSE(delta_at(event, *Epsilon::make(1)));
  EXPECT_FALSE(renyi_cost(event, renyi_orders()));
  EXPECT_FALSE(zcdp_cost(event));
  EXPECT_FALSE(gaussian_cost(event));
}

StructuredSubsampling valid_structured() {
  StructuredSubsampling e{};
  e.series = 10;
  e.length = {20};
  e.context_length = 3;
  e.forecast_length = 2;
  e.batch_size = 4;
  e.noise_multiplier = 1;
  return e;
}

TEST(EventRange, NoiseIsPositiveAndFinite) {
  for (double noise : {0.0, -1.0, kInfinity, -kInfinity, kNan, 1e-200, 1e200}) {
    expect_refused(Gaussian{noise}, "noise_multiplier");
    expect_refused(Laplace{noise}, "noise_multiplier");
    expect_refused(DiscreteGaussian{noise, 1}, "scale");
    expect_refused(DiscreteLaplace{noise, 1}, "scale");
    expect_refused(Mixture{{{1}, {1}}, {{0}, {1}}, noise}, "noise_multiplier");
    expect_refused(TimeSubsampling{1, 0.5, noise, {}, {}}, "noise_multiplier");
    StructuredSubsampling e = valid_structured();
    e.noise_multiplier = noise;
    expect_refused(e, "noise_multiplier");
  }
}

TEST(EventRange, EpsilonsAreFiniteAndNotNegative) {
  for (double epsilon : {-1e-300, kInfinity, kNan}) {
    expect_refused(Exponential{epsilon}, "epsilon");
    expect_refused(Pure{epsilon}, "epsilon");
    expect_refused(Approximate{epsilon, 0.1}, "epsilon");
    expect_refused(RandomizedResponse{epsilon, 2}, "epsilon");
  }
  for (double delta : {-1e-300, 1.0000001, kInfinity, kNan}) expect_refused(Approximate{1, delta}, "delta");
}

TEST(EventRange, WholeNumbersHaveTheirLeast) {
  expect_refused(DiscreteGaussian{1, -1}, "sensitivity");
  expect_refused(DiscreteLaplace{1, -1}, "sensitivity");
  expect_refused(RandomizedResponse{1, 1}, "values");
  expect_refused(TimeSubsampling{0, 0.5, 1, {}, {}}, "participation");
  for (std::int64_t count : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN}) expect_refused(Gaussian{1}, "count", count);
}

TEST(EventRange, MixturesAreDistributions) {
  const GaussianMixture good{{0}, {1}};
  for (const GaussianMixture& bad :
       {GaussianMixture{{}, {}}, GaussianMixture{{0}, {}}, GaussianMixture{{0, 1}, {1}}, GaussianMixture{{0}, {0.5}},
        GaussianMixture{{0, 1}, {1.5, -0.5}}, GaussianMixture{{kNan}, {1}}, GaussianMixture{{0}, {kNan}},
        GaussianMixture{{kInfinity}, {1}}, GaussianMixture{{1e101}, {1}}}) {
    expect_refused(Mixture{bad, good, 1}, "p.");
    expect_refused(Mixture{good, bad, 1}, "q.");
  }
}

TEST(EventRange, TimeSubsamplingFitsItsLength) {
  for (double rate : {-0.1, 1.1, kNan}) expect_refused(TimeSubsampling{1, rate, 1, {}, {}}, "rate");
  expect_refused(TimeSubsampling{5, 0.5, 1, 4, {}}, "participation");
  expect_refused(TimeSubsampling{5, 0.5, 1, 0, {}}, "length");
  expect_refused(TimeSubsampling{5, 0.5, 1, {}, 3.0}, "length");
  expect_refused(TimeSubsampling{5, 0.5, 1, (1 << 22) + 1, 3.0}, "length");
  for (double width : {0.0, -1.0, kNan, kInfinity})
    expect_refused(TimeSubsampling{5, 0.5, 1, 9, width}, "filter_width");
}

TEST(EventRange, WhatMovesValuesFitsItsWindow) {
  auto valid = [](Kind kind) { return validate({std::move(kind), 1}).has_value(); };
  for (std::int64_t window : {std::int64_t{0}, std::int64_t{1}, (std::int64_t{1} << 20) + 1}) {
    EXPECT_FALSE(valid(RanSwitch{window, 0.9}));
    EXPECT_FALSE(valid(StaSwitch{window, 0.9}));
    EXPECT_FALSE(valid(NoisySort{window, 1, NoisySort::Law::laplace, {}}));
    EXPECT_FALSE(valid(Threshold{window, 1}));
  }
  EXPECT_TRUE(valid(RanSwitch{10, 0.1}));
  EXPECT_TRUE(valid(RanSwitch{3, 1.0 / 3}));
  EXPECT_FALSE(valid(RanSwitch{10, 0.0999}));  // stay below move
  EXPECT_FALSE(valid(RanSwitch{10, 1}));
  EXPECT_FALSE(valid(StaSwitch{2, kToCalibrate}));
  EXPECT_TRUE(validate({StaSwitch{2, kToCalibrate}, 1}, true).has_value());
  EXPECT_FALSE(valid(NoisySort{10, 0, NoisySort::Law::laplace, {}}));
  EXPECT_FALSE(valid(NoisySort{10, 1, NoisySort::Law::laplace, 0}));
  EXPECT_TRUE(valid(NoisySort{10, 1, NoisySort::Law::staircase, 1}));
  for (std::int64_t plateau : {1, 9}) EXPECT_TRUE(valid(NoisySort{10, 1, NoisySort::Law::staircase, {}, plateau}));
  for (std::int64_t plateau : {-1, 0, 10}) {
    expect_refused(NoisySort{10, 1, NoisySort::Law::staircase, {}, plateau}, "plateau");
    EXPECT_FALSE(validate({NoisySort{10, kToCalibrate, NoisySort::Law::staircase, {}, plateau}, 1}, true).has_value());
  }
  expect_refused(NoisySort{10, 1, NoisySort::Law::laplace, {}, 3}, "plateau");
  EXPECT_FALSE(valid(Threshold{4, 0}));
  EXPECT_TRUE(validate({Threshold{4, 0}, 1}, true).has_value());
  EXPECT_FALSE(valid(Threshold{4, 4}));
  EXPECT_TRUE(valid(Threshold{4, 3}));
}

TEST(EventRange, WhatMovesValuesSaysItsNeighboursItself) {
  const Event both{Compose{{{RanSwitch{10, 0.5}, 1}, {NoisySort{4, 1, NoisySort::Law::laplace, {}}, 1}}}, 1};
  EXPECT_EQ(unit_of(both), Unit::event);
  EXPECT_EQ(relation_of(both), Relation::swap);
  EXPECT_EQ(window_of(both), 4);
  EXPECT_EQ(window_of({Gaussian{1}, 1}), std::nullopt);
}

TEST(EventRange, StructuredSubsamplingFitsItsSeries) {
  auto refused = [](auto change, const std::string& parameter) {
    StructuredSubsampling e = valid_structured();
    change(e);
    expect_refused(e, parameter);
  };
  refused([](auto& e) { e.series = 0; }, "series");
  refused([](auto& e) { e.length = {}; }, "length");
  refused([](auto& e) { e.length = {1, 20}; }, "length");
  refused([](auto& e) { e.length = {std::int64_t{1} << 53}; }, "length");
  refused([](auto& e) { e.context_length = -1; }, "context_length");
  refused([](auto& e) { e.context_length = INT64_MAX; }, "context_length");
  refused([](auto& e) { e.forecast_length = 0; }, "forecast_length");
  refused([](auto& e) { e.batch_size = 0; }, "batch_size");
  refused([](auto& e) { e.batch_size = 11; }, "batch_size");
  refused([](auto& e) { e.windows_per_series = 0; }, "windows_per_series");
  refused([](auto& e) { e.windows_per_series = 5; }, "windows_per_series");
  refused([](auto& e) { e.unit = Unit::w_event; }, "unit");
  refused([](auto& e) { e.width = 0; }, "width");
  refused([](auto& e) { e.context_noise = -1; }, "context_noise");
  refused([](auto& e) { e.label_noise = kNan; }, "label_noise");
  refused(
      [](auto& e) {
        e.windows_per_series = 2;
        e.label_noise = 1;
      },
      "windows_per_series");
  refused(
      [](auto& e) {
        e.bottom_level = StructuredSubsampling::Bottom::poisson;
        e.context_noise = 1;
      },
      "bottom_level");
}

TEST(EventRange, CompositionsHoldSomethingAndEndSomewhere) {
  expect_refused(Compose{}, "events");
  Event event{Pure{1}, 1};
  for (int i = 0; i < 16; ++i) event = {Compose{{event}}, 1};
  EXPECT_TRUE(validate(event));
  expect_refused(Compose{{event}}, "events");
}

TEST(EventRange, CountsThatOverflowTogetherAreRefused) {
  const Event huge{Compose{{{Pure{1}, INT64_MAX}}}, 2};
  const auto price = epsilon_at(huge, *Delta::make(1e-6));
  ASSERT_FALSE(price);
  EXPECT_NE(price.error().message.find("count"), std::string::npos) << price.error().message;
  const Event sum{Compose{{{Pure{1}, INT64_MAX}, {Pure{1}, 1}}}, 1};
  EXPECT_FALSE(epsilon_at(sum, *Delta::make(1e-6)));
}

TEST(EventRange, OpenNoiseIsAllowedOnlyWhenAskedFor) {
  const Event open = opened({Laplace{1}, 1});
  EXPECT_TRUE(has_open_noise(open));
  EXPECT_FALSE(validate(open));
  EXPECT_TRUE(validate(open, true));
  EXPECT_EQ(std::get<Laplace>(with_noise(open, 3).kind).noise_multiplier, 3);
  EXPECT_EQ(std::get<Laplace>(with_noise({Laplace{1}, 1}, 3).kind).noise_multiplier, 1);
}

TEST(EventRange, EventsSayWhatTheyProtect) {
  StructuredSubsampling e = valid_structured();
  EXPECT_EQ(unit_of({e, 1}), Unit::event);
  e.width = 3;
  EXPECT_EQ(unit_of({e, 1}), Unit::w_event);
  e.unit = Unit::user;
  EXPECT_EQ(unit_of({e, 1}), Unit::user);
  EXPECT_EQ(relation_of({e, 1}), Relation::replace);
  const Event time{TimeSubsampling{1, 0.5, 1, {}, {}}, 1};
  EXPECT_EQ(relation_of(time), Relation::add_remove);
  EXPECT_EQ(unit_of({Gaussian{1}, 1}), std::nullopt);
  // A composition protects only what every part protects, and no one relation when its parts differ.
  EXPECT_EQ(unit_of({Compose{{time, {valid_structured(), 1}}}, 1}), Unit::event);
  EXPECT_EQ(relation_of({Compose{{time, {valid_structured(), 1}}}, 1}), Relation::replace);
}

TEST(EventRange, CountsOfCompositionsMultiplyToLessThanTheLargestNumber) {
  const Event many{Gaussian{1}, 4'000'000'000'000'000'000};
  EXPECT_TRUE(validate(many));
  EXPECT_TRUE(validate({Compose{{many, many}}, 1}));
  EXPECT_FALSE(validate({Compose{{many, many, many}}, 1}));
  EXPECT_FALSE(validate({Compose{{many}}, 3}));
  EXPECT_FALSE(validate({Compose{{{Compose{{many}}, 2}}}, 2}));
}

}  // namespace
}  // namespace chronoveil::accounting
