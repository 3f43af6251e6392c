// The profile of a Gaussian pair against 40 digits, and its quick form against it.
#include "chronoveil/accounting/normal.h"

#include <algorithm>
#include <cmath>

#include "accounting/bracketing.h"
#include "accounting/generated.h"

namespace chronoveil::accounting {
namespace {

TEST(Normal, TheProfileIsExactToFourteenDigits) {
  Generator generator(11);
  for (int i = 0; i < cases(400); ++i) {
    // From x = ε/μ − μ/2 = −12, where nearly everything is loss, to 30; small μ by Taylor's series around the middle.
    const double mu = generator.log_uniform(1e-6, 8), x = generator.uniform(-12, 30);
    const double epsilon = std::max(0.0, mu * (x + mu / 2));
    const Real truth = oracle::gaussian(Real(mu), Real(epsilon));
    EXPECT_NEAR(static_cast<double>(Real(gaussian_profile(mu, epsilon)) / truth), 1, 2e-14) << mu << " " << epsilon;
  }
}

TEST(Normal, TheQuickProfileKeepsItsPromise) {
  double worst = 0;
  for (double mu = 1e-6; mu < 2; mu *= 1.1)
    for (double epsilon = 1e-9; epsilon < 8; epsilon *= 1.1) {
      const long double exact = gaussian_profile(mu, epsilon);
      const double quick = quick_gaussian_profile(mu, epsilon);
      if (exact < 1e-300L) {
        EXPECT_GE(quick, static_cast<double>(exact));  // what a double cannot hold is not lost
        continue;
      }
      worst = std::max(worst, static_cast<double>(std::abs(quick / exact - 1)));
    }
  EXPECT_LE(worst, kQuickError / 4);
  EXPECT_GT(worst, 0);
}

}  // namespace
}  // namespace chronoveil::accounting
