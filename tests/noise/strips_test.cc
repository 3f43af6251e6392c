// That the steps enclose the curve is what makes the samplers exact, so it is checked strip by strip, not by drawing.
#include "chronoveil/noise/strips.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "chronoveil/noise/sampler.h"

namespace chronoveil::noise {
namespace {

using Real = boost::multiprecision::cpp_bin_float_50;

class EveryScale : public testing::TestWithParam<Law> {
 protected:
  static std::vector<double> scales() {
    std::vector<double> result = {kSmallestScale,       0.1,          0.7, 3.1, 127.9, 1023.0, 1e5,
                                  0x1.fffffffffffffp20, kLargestScale};
    for (int log2 = -36; log2 < 40; log2 += 7) result.push_back(std::ldexp(1.1, log2));
    return result;
  }
  static std::vector<std::pair<double, double>> cases() {
    std::vector<std::pair<double, double>> result;
    for (const double scale : scales()) result.emplace_back(scale, default_reach(GetParam()));
    for (const double reach : {0.5, 1.0, 16.0}) {
      for (const double scale : {0.7, 1e5, kLargestScale}) result.emplace_back(scale, reach);
    }
    return result;
  }
  // phi, and c exp(-phi), at a position that is turned into grid steps here, apart from the code under test.
  static Real phi(Law law, double scale, const Strips& strips, const Real& units) {
    const Real steps = is_rounded(law) ? ldexp(units, -1 - static_cast<int>(strips.unit_bits)) : units;
    const Real z = steps / Real(scale);
    return is_gaussian(law) ? Real(z * z / 2) : z;
  }
  static Real curve(Law law, double scale, const Strips& strips, const Real& units) {
    return Real(strips.factor) * exp(-phi(law, scale, strips, units));
  }
};

TEST_P(EveryScale, TheStepsEncloseTheCurve) {
  for (const auto& [scale, reach] : cases()) {
    const Strips strips = make_strips(GetParam(), scale, reach);
    const Real width = ldexp(Real(1), static_cast<int>(strips.strip_bits));
    for (std::size_t i = 0; i < kStrips; ++i) {
      const Real left = width * Real(i), right = left + width - (is_rounded(GetParam()) ? 0 : 1);
      ASSERT_LE(Real(strips.inner[i]), curve(GetParam(), scale, strips, right)) << scale << " strip " << i;
      ASSERT_GE(Real(strips.outer(i)), curve(GetParam(), scale, strips, left)) << scale << " strip " << i;
    }
  }
}

TEST_P(EveryScale, TheBlocksOfTheTailStayAboveTheCurve) {
  for (const auto& [scale, reach] : cases()) {
    const Strips strips = make_strips(GetParam(), scale, reach);
    const Real end = ldexp(Real(kStrips), static_cast<int>(strips.strip_bits));
    const Real block = ldexp(Real(1), static_cast<int>(strips.block_bits));
    const int shift = static_cast<int>(strips.strip_bits) - static_cast<int>(strips.block_bits);
    for (int j = 0; j < 200; ++j) {
      const Real height = ldexp(Real(strips.tail_height()), shift - (j + 1));
      ASSERT_GE(height, curve(GetParam(), scale, strips, end + j * block)) << scale << " block " << j;
    }
    // From block to block the curve falls by e at least, so that what holds for 200 blocks holds for all.
    ASSERT_GE(phi(GetParam(), scale, strips, end + block) - phi(GetParam(), scale, strips, end), 1);
    ASSERT_GE(strips.block_bits + 1, strips.strip_bits);  // the exponents of candidates are never negative
  }
}

TEST_P(EveryScale, TheTableGivesEveryOutcomeItsWeight) {
  for (const auto& [scale, reach] : cases()) {
    const Strips strips = make_strips(GetParam(), scale, reach);
    constexpr std::uint64_t kFull = std::uint64_t{1} << kAliasCoinBits;
    std::vector<std::uint64_t> weights(kColumns);
    for (std::size_t column = 0; column < kColumns; ++column) {
      weights[column] += strips.columns[column].threshold;
      weights[strips.columns[column].other] += kFull - strips.columns[column].threshold;
    }
    for (std::size_t i = 0; i < kStrips; ++i) ASSERT_EQ(weights[i], strips.inner[i]);
    ASSERT_EQ(weights[kBeside], strips.beside_weight);
    // Slivers and tail fit in; what is left over is small, or draws would be wasted.
    ASSERT_GE(strips.beside_weight, strips.sliver_begin[kStrips + 1]);
    ASSERT_LE(strips.beside_weight - strips.sliver_begin[kStrips + 1], kColumns * kFull / 1000);
  }
}

TEST_P(EveryScale, PositionsFitIntoTheirBits) {
  for (const auto& [scale, reach] : cases()) {
    const Strips strips = make_strips(GetParam(), scale, reach);
    EXPECT_LE(strips.strip_bits, 37u);
    EXPECT_LE(strips.block_bits, 63u);
    EXPECT_LE(strips.unit_bits, 63u);
  }
}

INSTANTIATE_TEST_SUITE_P(Laws, EveryScale, testing::ValuesIn(kLaws),
                         [](const auto& test) { return std::string(name(test.param)); });

}  // namespace
}  // namespace chronoveil::noise
