// Masses that were moved up a coarser grid under a tilt sum up to more than 1. Their convolution is bounded all the
// same, mass by mass and in all.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "chronoveil/accounting/grid/tilted.h"

namespace chronoveil::accounting {
namespace {

using Masses = std::vector<long double>;

Masses product(const Masses& a, const Masses& b) {
  Masses out(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) out[i + j] += a[i] * b[j];
  return out;
}

long double sum_of(const Masses& masses) {
  long double sum = 0;
  for (const long double mass : masses) sum += mass;
  return sum;
}

TEST(CoarsenedSums, MovedUpUnderATiltExceedOneAndAreBounded) {
  // A bell of 41 points under a steep tilt, on a grid eight times as coarse, as it is in the second of two stages.
  GridLoss fine{.step = 0.05, .first = -20, .mass = {}, .infinite = 0, .slack = 0};
  for (int k = -20; k <= 20; ++k) fine.mass.push_back(std::exp(-0.02 * k * k));
  const double tilt = 6;
  Tilted once = tilted(fine, tilt, 1, Side::upper);
  once.loss = coarsened_up(once.loss, 8, tilt);
  const Masses masses(once.loss.mass.begin(), once.loss.mass.end());
  ASSERT_GT(sum_of(masses), 1.2L);
  Masses exact{1};
  for (int count = 1; count <= 40; ++count) {
    exact = product(exact, masses);
    once.count = count;
    for (const Side side : {Side::upper, Side::lower}) {
      const auto whole = convolve(std::vector<Tilted>{once}, side, Stage::last, {});
      ASSERT_TRUE(whole);
      ASSERT_EQ(whole->sum.loss.mass.size(), exact.size());
      EXPECT_GE(static_cast<long double>(whole->total), sum_of(exact)) << count;
      EXPECT_LE(static_cast<long double>(whole->total), sum_of(exact) * 1.001L) << count;
      for (std::size_t k = 0; k < exact.size(); ++k) {
        const long double mass = whole->sum.loss.mass[k];
        EXPECT_TRUE(side == Side::upper ? mass >= exact[k] * (1 - 1e-17L) : mass <= exact[k] * (1 + 1e-17L))
            << count << ' ' << k << ' ' << mass << ' ' << exact[k];
      }
    }
  }
}

}  // namespace
}  // namespace chronoveil::accounting
