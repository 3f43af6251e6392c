// Compositions of very many parts. Every part adds a rounding to each sum, and no fixed margin covers that in doubles:
// the bounds hold all the same, where sums of doubles fall short of the truth.
#include <cmath>

#include "accounting/bracketing.h"
#include "chronoveil/accounting/grid/any_infinite.h"
#include "chronoveil/accounting/moments.h"

namespace chronoveil::accounting {
namespace {

TEST(ManyParts, CostNoLessThanTheirSum) {
  constexpr int kParts = 200'000;
  constexpr double kNoise = 3.17, kOrder = 3, kUp = 1 + 1e-12;
  const Event all{Compose{std::vector<Event>(kParts, Event{Gaussian{kNoise}, 1})}, 1};
  const Real squares = kParts / (Real(kNoise) * kNoise);
  EXPECT_GE(Real(gaussian_square(all, 0).value()), squares);
  EXPECT_GE(Real(zcdp_cost(all).value().rho), squares / 2);
  EXPECT_GE(Real(renyi_cost(all, {&kOrder, 1}).value().epsilon[0]), squares * kOrder / 2);
  EXPECT_LE(Real(gaussian_square(all, 0).value()), squares * (1 + 1e-11));
  // The twin: what every part is rounded up by is less than what so many additions lose.
  const double mu = 1 / kNoise;
  double rho = 0;
  for (int i = 0; i < kParts; ++i) rho += mu * mu / 2 * kUp * kUp;
  EXPECT_LT(Real(rho), squares / 2);
}

TEST(ManyParts, FailNoLessOftenThanAnyOfThem) {
  constexpr int kParts = 100'000;
  int short_of_it = 0;
  for (const double delta : {1e-9, 3e-9, 7e-9, 1.1e-8, 2.3e-8}) {
    AnyInfinite any;
    double twin = 0;
    for (int i = 0; i < kParts; ++i) {
      any.add(delta, 1);
      twin += std::log1p(-delta);
    }
    const Real truth = -expm1(kParts * log1p(-Real(delta)));
    EXPECT_GE(Real(any.upper()), truth) << delta;
    EXPECT_LE(Real(any.lower()), truth) << delta;
    short_of_it += Real(-std::expm1(twin) * (1 + 1e-14)) < truth;
  }
  EXPECT_GT(short_of_it, 0) << "the twin is not caught";
}

}  // namespace
}  // namespace chronoveil::accounting
