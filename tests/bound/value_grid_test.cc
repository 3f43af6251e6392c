#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "chronoveil/bound/cells/bounded_cells.h"

namespace chronoveil::bound {
namespace {

std::uint32_t steps_of(const ValueGrid& grid, double value) {
  std::int64_t clamped = 0;
  return grid.to_steps(value, clamped);
}

TEST(ValueGrid, StepIsThePowerOfTwoThatPutsTheWidthAboveTwoToThe29) {
  for (const double width : {1.0, 65.0, 0.3, 1e-9, 1e9, 1073741824.0, 1073741825.0, 1e100, 1e-100}) {
    for (const double lower : {0.0, -width, -width / 3, width}) {
      const auto grid = ValueGrid::make(lower, lower + width);
      ASSERT_TRUE(grid);
      int exponent = 0;
      EXPECT_EQ(std::frexp(grid->step(), &exponent), 0.5);
      const double steps = (grid->upper() - grid->lower()) / grid->step();
      EXPECT_GT(steps, std::ldexp(1.0, 29));
      EXPECT_LE(steps, std::ldexp(1.0, 30));
      EXPECT_EQ(grid->upper_steps(), std::floor(steps));
    }
  }
}

TEST(ValueGrid, BoundsAreExact) {
  for (const double upper : {1.0, 65.0, 0.1, 1e-9, 12345.678, 1073741824.0}) {
    for (const double lower : {0.0, -0.3 * upper, -7 * upper, 0.9 * upper}) {
      const auto grid = ValueGrid::make(lower, upper);
      ASSERT_TRUE(grid);
      EXPECT_EQ(steps_of(*grid, lower), 0u);
      EXPECT_EQ(steps_of(*grid, upper), grid->upper_steps());
      EXPECT_EQ(steps_of(*grid, std::nextafter(upper, lower)), grid->upper_steps());
      EXPECT_EQ(grid->to_real(0), lower);
      EXPECT_LE(grid->to_real(grid->upper_steps()), upper);
      EXPECT_GT(grid->to_real(grid->upper_steps()) + grid->step(), upper);
    }
  }
}

TEST(ValueGrid, RoundsToTheNearestStepAndHalvesUpwards) {
  const auto grid = ValueGrid::make(0, 1 << 30);
  ASSERT_TRUE(grid);
  ASSERT_EQ(grid->step(), 1);
  const std::pair<double, std::uint32_t> cases[] = {{0.0, 0},
                                                    {0.25, 0},
                                                    {std::nextafter(0.5, 0), 0},
                                                    {0.5, 1},
                                                    {1.5, 2},
                                                    {2.5, 3},
                                                    {std::nextafter(2.5, 0), 2},
                                                    {1073741823.5, 1073741824},
                                                    {std::nextafter(1073741823.5, 0), 1073741823}};
  for (const auto& [value, steps] : cases) EXPECT_EQ(steps_of(*grid, value), steps) << value;
}

TEST(ValueGrid, NeverGoesBeyondItsBoundsAndNeverTurnsValuesAround) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 20'000; ++i) {
    const double lower = (unit(random) - 0.5) * 100, upper = lower + std::exp(20 * unit(random) - 10);
    const auto grid = ValueGrid::make(lower, upper);
    ASSERT_TRUE(grid);
    double a = lower + (1.2 * unit(random) - 0.1) * (upper - lower), b = a + unit(random) * grid->step() * 3;
    EXPECT_LE(steps_of(*grid, a), steps_of(*grid, b));
    EXPECT_LE(steps_of(*grid, b), grid->upper_steps());
    // Half a step, and what the doubles themselves lose.
    a = std::clamp(a, lower, upper);
    if (steps_of(*grid, a) < grid->upper_steps()) {
      EXPECT_LE(std::abs(grid->to_real(steps_of(*grid, a)) - a), grid->step() * 0.5 + 1e-14 * std::abs(a) + 1e-14);
    }
  }
}

TEST(ValueGrid, CountsWhatItClamps) {
  const auto grid = ValueGrid::make(-1, 1);
  ASSERT_TRUE(grid);
  std::int64_t clamped = 0;
  EXPECT_EQ(grid->to_steps(-1, clamped), 0u);
  EXPECT_EQ(grid->to_steps(1, clamped), grid->upper_steps());
  EXPECT_EQ(clamped, 0);
  EXPECT_EQ(grid->to_steps(std::nextafter(-1, -2), clamped), 0u);
  EXPECT_EQ(grid->to_steps(std::nextafter(1, 2), clamped), grid->upper_steps());
  EXPECT_EQ(grid->to_steps(-1e300, clamped), 0u);
  EXPECT_EQ(grid->to_steps(std::numeric_limits<double>::max(), clamped), grid->upper_steps());
  EXPECT_EQ(clamped, 4);
}

TEST(ValueGrid, WorksAtTheEndsOfWhatIsAllowed) {
  const double largest = std::ldexp(1.0, 500);
  for (const auto& [lower, upper] : {std::pair{-largest, largest}, std::pair{0.0, 1 / largest},
                                     std::pair{1.0, 1 + std::ldexp(1.0, -39)}, std::pair{0.0, largest}}) {
    const auto grid = ValueGrid::make(lower, upper);
    ASSERT_TRUE(grid);
    EXPECT_EQ(grid->upper_steps(), 1u << 30);
    EXPECT_EQ(steps_of(*grid, upper), 1u << 30);
    EXPECT_EQ(steps_of(*grid, lower + (upper - lower) / 2), 1u << 29);
  }
}

TEST(ValueGrid, RefusesBoundsThatBoundNothing) {
  const double infinity = std::numeric_limits<double>::infinity(), nan = std::nan("");
  const double largest = std::ldexp(1.0, 500);
  const std::pair<double, double> cases[] = {{0, 0},
                                             {1, 1},
                                             {2, 1},
                                             {nan, 1},
                                             {0, nan},
                                             {-infinity, 0},
                                             {0, infinity},
                                             {0, 2 * largest},
                                             {-2 * largest, 0},
                                             {0, std::numeric_limits<double>::denorm_min()},
                                             {0, 0.5 / largest},
                                             {1, 1 + std::ldexp(1.0, -41)},
                                             {-1e9 - 1e-6, -1e9}};
  for (const auto& [lower, upper] : cases) {
    const auto grid = ValueGrid::make(lower, upper);
    ASSERT_FALSE(grid) << lower << " " << upper;
    EXPECT_EQ(grid.error().kind, ErrorKind::usage);
  }
  EXPECT_EQ(ValueGrid::make(2, 1).error().text(), "upper: 1 is not valid; it must be greater than lower, which is 2");
}

}  // namespace
}  // namespace chronoveil::bound
