#include "chronoveil/mechanisms/parts/calibrated.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/parts/fixed_point.h"
#include "chronoveil/mechanisms/series/dft.h"
#include "chronoveil/mechanisms/series/gaussian.h"
#include "chronoveil/mechanisms/series/laplace.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {
namespace {

TEST(PublicShape, CountsWhatOneNeighbourCanChange) {
  PublicShape shape{.series = 3, .steps = 10, .max_steps = 4, .max_per_slot = 5};
  EXPECT_EQ(shape.changes(), 4);
  EXPECT_EQ(shape.touched(), 3);
  EXPECT_EQ(shape.l1(), 20);
  EXPECT_EQ(shape.l2(), 10);
  shape.relation = Relation::replace;
  EXPECT_EQ(shape.changes(), 8);
  EXPECT_GE(shape.l2(), 5 * std::sqrt(8.0L));
  EXPECT_NEAR(shape.l2(), 5 * std::sqrt(8.0), 1e-13);
  shape.max_steps = 1000;
  EXPECT_EQ(shape.changes(), 30) << "all cells";
  shape = {.series = 3, .steps = 10, .unit = Unit::w_event, .width = 4, .max_per_slot = 5};
  EXPECT_EQ(shape.changes(), 4);
  shape.width = 40;
  EXPECT_EQ(shape.changes(), 10);
  shape = {.series = 30, .steps = 10, .unit = Unit::event, .max_per_slot = 5};
  EXPECT_EQ(shape.changes(), 1);
  EXPECT_EQ(shape.touched(), 5) << "one slot, a count in each of five series";
}

TEST(Requests, WhatIsOutOfRangeIsNamed) {
  const auto message = [](const Request& request) { return gaussian().prepare(request).error().text(); };
  const Request good = request_for(10, 1, 1e-6);
  ASSERT_TRUE(gaussian().prepare(good));
  const auto with = [&](auto change) {
    Request request = good;
    change(request);
    return message(request);
  };
  EXPECT_EQ(with([](Request& r) { r.epsilon = 0; }),
            "epsilon: 0 is not valid; it must be a finite number greater than 0");
  EXPECT_EQ(with([](Request& r) { r.epsilon = std::numeric_limits<double>::infinity(); }),
            "epsilon: infinity is not valid; it must be a finite number greater than 0");
  EXPECT_EQ(with([](Request& r) { r.delta = 1; }), "delta: 1 is not valid; it must be at least 0 and less than 1");
  EXPECT_EQ(with([](Request& r) { r.delta = 0; }), "delta: 0 is not valid; it must be greater than 0 for gaussian");
  EXPECT_EQ(with([](Request& r) { r.level = 1; }), "level: 1 is not valid; it must be greater than 0 and less than 1");
  EXPECT_EQ(with([](Request& r) { r.shape.steps = 0; }),
            "steps: 0 is not valid; it must be a whole number between 1 and 2^53");
  EXPECT_EQ(with([](Request& r) { r.shape.max_steps = 0; }),
            "max_steps: 0 is not valid; it must be a whole number between 1 and 2^53");
  EXPECT_EQ(with([](Request& r) { r.shape.max_per_slot = -1; }),
            "max_per_slot: -1 is not valid; it must be a whole number between 1 and 2^53");
  EXPECT_EQ(with([](Request& r) { r.shape.maximum = std::numeric_limits<std::int64_t>::max(); }),
            "maximum: 9223372036854775807 is not valid; it must be a whole number between 1 and 2^53");
  EXPECT_EQ(with([](Request& r) { r.shape.steps = std::int64_t{1} << 40; }),
            "series and steps: multiplied, they must be at most 2^36 values");
  EXPECT_EQ(with([](Request& r) { r.shape.max_per_slot = std::int64_t{1} << 52; }),
            "max_steps (or width) and max_per_slot: multiplied, they must be at most 2^53");
  EXPECT_EQ(with([](Request& r) { r.parameters["rate"] = 0.1; }),
            "mechanism.rate: gaussian has no such parameter; it has none");
}

TEST(Requests, ParametersHaveTypesAndDefaults) {
  Request request = request_for(10, 1, 1e-6);
  EXPECT_EQ(integer(value_of(resolved(request, dft())), "coefficients"), 30);
  request.parameters["coefficients"] = 2.5;
  EXPECT_EQ(resolved(request, dft()).error().text(), "mechanism.coefficients: it must be a whole number");
  request.parameters = {{"k", std::int64_t{3}}};
  EXPECT_EQ(resolved(request, dft()).error().text(), "mechanism.k: dft has no such parameter; it has coefficients");
  EXPECT_EQ(find_series_mechanism("magic").error().text().substr(0, 60),
            "mechanism.name: magic is not valid; it must be one of laplac");
}

// Too much or too little noise for the sampler is refused in the plan, before anything is debited.
TEST(Calibrated, NoiseOutOfRangeIsRefusedInThePlan) {
  EXPECT_FALSE(laplace().prepare(request_for(10, 1e9, 0)));
  EXPECT_FALSE(laplace().prepare(request_for(10, 1e-13, 0)));
  for (const double epsilon : {1e-11, 1e-6, 1e-3, 1.0, 1e3, 1e6}) {
    const auto plan = laplace().prepare(request_for(10, epsilon, 0));
    ASSERT_TRUE(plan) << epsilon << ": " << plan.error().text();
    Draws draws = Draws::seeded(1);
    EXPECT_TRUE(laplace().measure(*plan, std::vector<std::int64_t>(10, 1'000'000), draws)) << epsilon;
  }
}

TEST(Grid, IsFineEnoughForNoiseAndWideEnoughForValues) {
  for (const double scale : {1e-5, 0.1, 1.0, 79.07, 1e4, 1e9}) {
    for (const double largest : {1.0, 500.0, 1e9, 0x1p53}) {
      const double grid = value_of(grid_for(scale, largest));
      EXPECT_EQ(std::exp2(std::ilogb(grid)), grid);
      EXPECT_LE(grid, std::min(1.0, scale / 0x1p20));
      EXPECT_LE(scale, grid * 0x1p39);
      const bool as_coarse_as_noise_allows = grid == std::min(1.0, std::exp2(std::ilogb(scale) - 20));
      EXPECT_TRUE(as_coarse_as_noise_allows || largest <= grid * 0x1p60) << scale << " " << largest;
    }
  }
  EXPECT_FALSE(grid_for(0x1p-21, 1));
  EXPECT_FALSE(grid_for(0, 1));
  EXPECT_FALSE(grid_for(std::numeric_limits<double>::quiet_NaN(), 1));
}

TEST(OnGrid, IsExactAndStopsAtTheLimit) {
  EXPECT_EQ(on_grid(std::vector<std::int64_t>{0, 1, 3}, 0.25), (std::vector<std::int64_t>{0, 4, 12}));
  EXPECT_EQ(on_grid(std::vector<std::int64_t>{std::int64_t{1} << 53}, 0x1p-30),
            (std::vector<std::int64_t>{std::int64_t{1} << 61}));
}

// floor(x / g + 1/2), halves up, also below 0.
TEST(FixedPoint, RoundsHalvesUp) {
  const FixedSum one = FixedSum{1} << kFixedBits;
  EXPECT_EQ(to_grid(one / 2, 1), 1);
  EXPECT_EQ(to_grid(one / 2 - 1, 1), 0);
  EXPECT_EQ(to_grid(-one / 2, 1), 0);
  EXPECT_EQ(to_grid(-one / 2 - 1, 1), -1);
  EXPECT_EQ(to_grid(3 * one, 0x1p-10), 3 * 1024);
  EXPECT_EQ(to_grid(5, kFixedStep), 5);
  EXPECT_EQ(to_grid(5, kFixedStep / 4), 20);
  EXPECT_EQ(to_grid(one << 70, 0x1p-30), noise::kValueLimit);
  EXPECT_EQ(to_grid(-(one << 70), 0x1p-60), -noise::kValueLimit);
}

TEST(Intervals, ASumOfLaplaceDrawsGetsTheWiderOfBothQuantiles) {
  EXPECT_NEAR(combined_half_width(NoiseKind::gaussian, 2, 0.95), 2 * 1.959963984540054, 1e-12);
  EXPECT_NEAR(combined_half_width(NoiseKind::laplace, 2, 0.95), -std::sqrt(2.0) * std::log(0.05), 1e-12);
  EXPECT_NEAR(combined_half_width(NoiseKind::laplace, 2, 0.5), 2 * 0.6744897501960817, 1e-12);
  EXPECT_NEAR(standard_deviation(NoiseKind::laplace, 3), 3 * std::sqrt(2.0), 1e-12);
  EXPECT_EQ(standard_deviation(NoiseKind::gaussian, 3), 3);
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
