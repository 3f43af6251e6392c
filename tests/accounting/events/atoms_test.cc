// Losses that lie just above a grid point are not moved down to it, and components that are left out are charged.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "accounting/bracketing.h"
#include "chronoveil/accounting/grid/composer.h"
#include "chronoveil/accounting/mixtures/gaussian_mixtures.h"

namespace chronoveil::accounting {
namespace {

using AddAtom = std::function<void(PositiveLoss&, double loss, double mass)>;

bool lie_in_the_bin_that_holds_them(const AddAtom& add) {
  constexpr double kStep = 0.125;
  for (const double offset : {-1e-3, -1e-9, -1e-12, 0.0, 1e-12, 0.5e-9, 2e-9, 1e-3}) {
    const double loss = 8 * kStep * (1 + offset);
    PositiveLoss half = empty_half(kStep, 16);
    add(half, loss, 0.25);
    const std::size_t bin = offset > 0 ? 8 : 7;
    if (half.p[bin] != 0.25) return false;
    if (!(std::abs(half.loss(bin) + std::log(half.p[bin] / half.q[bin]) - loss) <= 1e-15)) return false;
  }
  return true;
}

TEST(Atoms, LieInTheBinThatHoldsThem) {
  constexpr double kStep = 0.125;
  EXPECT_TRUE(lie_in_the_bin_that_holds_them(add_atom));
  // The twin takes a loss a thousand-millionth of a step above a grid point for the point.
  EXPECT_FALSE(lie_in_the_bin_that_holds_them([](PositiveLoss& half, double loss, double mass) {
    const double point = std::round(loss / half.step) * half.step;
    add_atom(half, std::abs(loss - point) <= 1e-9 * half.step ? point : loss, mass);
  }));
  // A loss that the last bin does not hold is not moved into it.
  PositiveLoss half = empty_half(kStep, 8);
  add_atom(half, 1.5, 0.25);
  EXPECT_EQ(half.beyond_p, 0.25);
  EXPECT_DOUBLE_EQ(half.beyond_q, 0.25 * std::exp(-0.5));
}

TEST(Atoms, MultiplesOfARoundedStepStayOnTheGrid) {
  for (const double spacing : {0.1, 0.3, 1 / 7.0, 1e-5, 12345.678})
    for (const double parts : {1.0, 3.0, 10.0, 49.0, 1000.0, 65536.0, 999983.0})
      EXPECT_EQ(bins_up_to(spacing, spacing / parts), parts) << spacing << ' ' << parts;
}

// The largest sum of losses has a probability above δ: no ε below it will do, on whatever grid.
TEST(Atoms, JustAboveAGridPointNeverMakeAnUpperBoundTooSmall) {
  constexpr double kStep = 0.125;
  constexpr std::int64_t kCount = 1000;
  for (const double offset : {0.0, 1e-13, 1e-11, 6e-11, 1.2e-10, 1e-9}) {
    const double epsilon = 8 * kStep * (1 + offset);
    const auto steps = steps_of(Event{Pure{epsilon}, kCount});
    ASSERT_TRUE(steps);
    const auto price = price_on_grid(*steps, {true, 1e-200}, kStep, 1e-290);
    ASSERT_TRUE(price) << price.error().text();
    EXPECT_TRUE(encloses_epsilon(price->epsilon_lower, price->epsilon, 1e-200, [&](const Real& e) {
      return oracle::pure(Real(epsilon), kCount, e);
    })) << offset;
  }
}

TEST(Atoms, ComponentsLeftOutOfAMixtureAreChargedAsInfiniteLossesToTheUpperBoundAlone) {
  const UnitMixture p{.means = {0, 1}, .weights = {0.75, 0.25}, .tail = 1e-4};
  const UnitMixture q{.means = {0, -1}, .weights = {0.75, 0.25}, .tail = 1e-4};
  const auto model = monotone_mixture_model(p, q, true);
  EXPECT_DOUBLE_EQ(model->infinite(), 2e-4);
  EXPECT_GE(model->delta(1000), 2e-4L);
  EXPECT_EQ(model->infinite_lower(), 0);
  EXPECT_EQ(model->delta_lower(1000), 0);
  EXPECT_DOUBLE_EQ(model->halves(0.1, 50, false).upper.charged, 2e-4);
  const LossGrids grids = model->grids(0.1, 50, Reading::symmetric);
  EXPECT_GE(grids.upper.infinite, 2e-4);
  EXPECT_EQ(grids.lower.infinite, 0);
}

}  // namespace
}  // namespace chronoveil::accounting
