#include "chronoveil/noise/grid/grid.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "chronoveil/noise/sampler.h"
#include "chronoveil/noise/uniform.h"

namespace chronoveil::noise {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(Grid, StepIsTheLargestPowerOfTwoWithinAMillionthOfTheScale) {
  for (const double scale : {1e-30, 0.001, 1.0, 1.5, 2.0, 1e6, 1e30}) {
    const double step = Grid::for_scale(scale)->step();
    EXPECT_LE(step, scale / 0x1p20);
    EXPECT_GT(2 * step, scale / 0x1p20);
    EXPECT_TRUE(Grid::make(step));
  }
}

TEST(Grid, CountsAreOnTheGrid) {
  EXPECT_EQ(Grid::for_counts(1e12)->step(), 1);
  EXPECT_EQ(Grid::for_counts(0x1p20)->step(), 1);
  EXPECT_EQ(Grid::for_counts(0x1p19)->step(), 0.5);
  EXPECT_EQ(Grid::for_counts(10)->to_grid(7).value(), 7 << 17);  // step 2^-17
}

TEST(Grid, RefusesStepsThatAreNoPowerOfTwoAndScalesThatAreNoScale) {
  for (const double step : {0.0, -1.0, 0.1, 3.0, kInfinity, kNaN, std::numeric_limits<double>::denorm_min()}) {
    const auto refused = Grid::make(step);
    ASSERT_FALSE(refused) << step;
    EXPECT_NE(refused.error().text().find("grid"), std::string::npos);
  }
  for (const double scale : {0.0, -1.0, kInfinity, kNaN}) EXPECT_FALSE(Grid::for_scale(scale)) << scale;
}

TEST(ToGrid, IsTheFloorOfXPlusOneHalfExactly) {
  const Grid unit = Grid::make(1).value();
  EXPECT_EQ(unit.to_grid(0.5).value(), 1);
  EXPECT_EQ(unit.to_grid(-0.5).value(), 0);
  EXPECT_EQ(unit.to_grid(1.5).value(), 2);
  EXPECT_EQ(unit.to_grid(2.5).value(), 3);  // half-even would give 2, and 1.5 -> 2 too
  EXPECT_EQ(unit.to_grid(-1.5).value(), -1);
  EXPECT_EQ(unit.to_grid(std::nextafter(0.5, 0)).value(), 0);  // adding 0.5 gives 1 in floating point
  EXPECT_EQ(unit.to_grid(std::nextafter(-0.5, -1)).value(), -1);
  EXPECT_EQ(unit.to_grid(-1e-300).value(), 0);
  EXPECT_EQ(unit.to_grid(0x1p52 + 1).value(), (std::int64_t{1} << 52) + 1);  // adding 0.5 gives 2^52 + 2
  EXPECT_EQ(unit.to_grid(-0x1p52 - 1).value(), -(std::int64_t{1} << 52) - 1);
  EXPECT_EQ(unit.to_grid(0x1p61).value(), kValueLimit);
}

TEST(ToGrid, AChangeOfWholeStepsStaysThatChange) {
  const Grid grid = Grid::make(0.25).value();
  BitSource bits = BitSource::with_seed(1);
  for (int i = 0; i < 10'000; ++i) {
    const double x = static_cast<double>(uniform_between(-1'000'000, 1'000'000, bits)) / 1024;
    const auto steps = uniform_between(-100, 100, bits);
    const double moved = x + static_cast<double>(steps) * 0.25;  // exact
    EXPECT_EQ(grid.to_grid(moved).value() - grid.to_grid(x).value(), steps);
  }
}

TEST(ToGrid, RefusesWhatIsTooLargeWithoutQuotingIt) {
  const Grid grid = Grid::make(1).value();
  for (const double x : {0x1.8p61, -0x1.8p61, 1e300, kInfinity, -kInfinity, kNaN}) {
    const auto refused = grid.to_grid(x);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, ErrorKind::bad_data);
    EXPECT_EQ(refused.error().text().find(shortest(x)), std::string::npos);
  }
  EXPECT_FALSE(Grid::make(0x1p-60)->to_grid(2.5));
}

TEST(Grid, LengthsInStepsAreExact) {
  const Grid grid = Grid::make(0x1p-20).value();
  EXPECT_EQ(grid.in_steps(1.5).value(), 1.5 * 0x1p20);
  EXPECT_FALSE(Grid::make(0x1p-1000)->in_steps(1e300));
  EXPECT_EQ(grid.to_real(3), 3 * 0x1p-20);
}

TEST(GridBounds, TheWidthBoundsWhatReplacingAValueCanChange) {
  const Grid grid = Grid::make(0.5).value();
  const GridBounds bounds = GridBounds::make(grid, -1.3, 2.6).value();
  EXPECT_EQ(bounds.lower(), -2);
  EXPECT_EQ(bounds.upper(), 5);
  EXPECT_EQ(bounds.width(), 7);
  for (const double x : {-kInfinity, -1e300, -1.3, -1.0, -0.9, 0.0, 2.4, 2.5, 2.6, 2.9, 1e300, kInfinity}) {
    const std::int64_t index = bounds.to_grid(x).value();
    EXPECT_GE(index, bounds.lower());
    EXPECT_LE(index, bounds.upper());
  }
  EXPECT_EQ(bounds.to_grid(0.25).value(), 1);
  EXPECT_EQ(bounds.to_grid(2.3).value(), 5);
}

TEST(GridBounds, NeverGrow) {
  const Grid coarse = Grid::make(0x1p900).value();
  // 1e-300 / 2^900 underflows: as a lower bound it must still move up, not down to 0.
  EXPECT_EQ(GridBounds::make(coarse, 1e-300, 0x1p901)->lower(), 1);
  EXPECT_EQ(GridBounds::make(coarse, -0x1p901, -1e-300)->upper(), -1);
}

TEST(GridBounds, RefuseNaNAndBoundsWithoutAPointBetween) {
  const Grid grid = Grid::make(1).value();
  EXPECT_FALSE(GridBounds::make(grid, 0.2, 0.8));
  EXPECT_FALSE(GridBounds::make(grid, 2, 1));
  EXPECT_FALSE(GridBounds::make(grid, kNaN, 1));
  EXPECT_FALSE(GridBounds::make(grid, 0, kInfinity));
  EXPECT_EQ(GridBounds::make(grid, 0, 1)->to_grid(kNaN).error().kind, ErrorKind::bad_data);
}

}  // namespace
}  // namespace chronoveil::noise
