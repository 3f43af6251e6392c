// Two means that are far from 0, or hardly apart: δ depends on their distance alone, and keeps its digits.
#include <cmath>

#include "accounting/bracketing.h"

namespace chronoveil::accounting {
namespace {

void expect_gaussian(const Event& event, const Real& mu, double epsilon) {
  const auto price = delta_at(event, *Epsilon::make(epsilon));
  ASSERT_TRUE(price) << to_text(event) << ": " << price.error().text();
  EXPECT_TRUE(
      encloses_delta(price->delta_lower, price->delta, epsilon, [&](const Real& e) { return oracle::gaussian(mu, e); }))
      << to_text(event) << " at epsilon " << epsilon;
}

TEST(MeansApart, FarFromZeroCostWhatTheirDistanceDoes) {
  for (const double origin : {0.0, 7.0, 1e6 + 1, 1e9 + 3})
    for (const double noise : {3.0, 7.7, 0.3})
      for (const double deviations : {0.0, 1.0, 5.0, 12.0}) {
        if (std::abs(origin) > 1e9 * noise) continue;
        const Real mu = 1 / Real(noise);
        const auto epsilon = static_cast<double>(mu * mu / 2 + deviations * mu);
        expect_gaussian({Mixture{{{origin}, {1}}, {{origin + 1}, {1}}, noise}, 1}, mu, epsilon);
        expect_gaussian({Mixture{{{-origin}, {1}}, {{-origin - 1}, {1}}, noise}, 1}, mu, epsilon);
      }
}

TEST(MeansApart, HardlyAreRoundedOutward) {
  for (const double distance : {1e-4, 1e-6, 3e-8, 1e-9, 7e-11})
    for (const double deviations : {0.0, 0.5, 2.0, 6.0, 15.0})
      expect_gaussian({Mixture{{{distance}, {1}}, {{0}, {1}}, 1}, 1}, Real(distance), deviations * distance);
}

}  // namespace
}  // namespace chronoveil::accounting
