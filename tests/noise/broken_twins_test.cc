// The checker that the samplers pass must reject samplers that are wrong in the ways in which samplers go wrong.
#include <gtest/gtest.h>

#include <cmath>

#include "chronoveil/noise/sampler.h"
#include "noise/draws.h"
#include "noise/law_checker.h"

namespace chronoveil::noise {
namespace {

// Uniform in (0, 1), with 53 bits.
double uniform(BitSource& bits) { return (static_cast<double>(bits.next_u64() >> 11) + 0.5) * 0x1p-53; }

double continuous_laplace(double scale, BitSource& bits) {
  const double u = uniform(bits);
  return bits.next_u64() & 1 ? -scale * std::log(u) : scale * std::log(u);
}

template <class Draw>
Fill each(Draw draw) {
  return [draw](std::span<std::int64_t> out) mutable {
    for (std::int64_t& value : out) value = draw();
  };
}

class BrokenTwins : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "telling a twin from the original takes more draws than a sanitizer makes in time";
  }
  std::string complaints(Law law, double scale, const Fill& fill, std::int64_t draws = kLawDraws) {
    return LawChecker(law, scale).complaints(fill, draws);
  }
  BitSource bits_;
};

TEST_F(BrokenTwins, RoundingDownInsteadOfToTheNearest) {
  const auto twin = each([this] { return static_cast<std::int64_t>(std::floor(continuous_laplace(3.1, bits_))); });
  EXPECT_NE(complaints(Law::rounded_laplace, 3.1, twin), "");
}

TEST_F(BrokenTwins, TruncatingTowardsZero) {
  const auto twin = each([this] { return static_cast<std::int64_t>(continuous_laplace(1000.0, bits_)); });
  EXPECT_NE(complaints(Law::rounded_laplace, 1000.0, twin), "");
}

TEST_F(BrokenTwins, CountingZeroTwice) {
  const Sampler sampler = Sampler::make(Law::discrete_gaussian, 60).value();
  const auto twin = each([&] {
    // The magnitude of a one-sided law that gives 0 its full weight, then a sign: 0 comes up twice as often.
    for (;;) {
      const std::int64_t value = sampler(bits_);
      if (value >= 0) return bits_.next_u64() & 1 ? -value : value;
    }
  });
  EXPECT_NE(complaints(Law::discrete_gaussian, 60, twin), "");
}

TEST_F(BrokenTwins, NoiseInSinglePrecisionThatMissesLatticePoints) {
  const double scale = 0x1p28;
  const auto twin =
      each([&] { return static_cast<std::int64_t>(static_cast<float>(continuous_laplace(scale, bits_))); });
  EXPECT_NE(complaints(Law::rounded_laplace, scale, twin, kLawDraws / 10).find("low bits"), std::string::npos);
}

TEST_F(BrokenTwins, NoiseFromUniformsOf32Bits) {
  // -log(u) of a 32-bit uniform has at most 2^32 values: far too few, far apart in the tail, for a scale of 2^40.
  const double scale = 0x1p40;
  const auto twin = each([&] {
    const double u = (static_cast<double>(bits_.next_u64() >> 32) + 1) * 0x1p-32;
    const auto step = static_cast<std::int64_t>(std::ldexp(std::nearbyint(-std::log(u) * 0x1p32), 8));
    return bits_.next_u64() & 1 ? -step : step;
  });
  EXPECT_NE(complaints(Law::rounded_laplace, scale, twin, kLawDraws / 10).find("low bits"), std::string::npos);
}

TEST_F(BrokenTwins, ATailCutOffAtFourSigma) {
  const Sampler sampler = Sampler::make(Law::rounded_gaussian, 1000).value();
  const auto twin = each([&] {
    for (;;) {
      const std::int64_t value = sampler(bits_);
      if (std::abs(value) < 4000) return value;
    }
  });
  EXPECT_NE(complaints(Law::rounded_gaussian, 1000, twin).find("tail"), std::string::npos);
}

TEST_F(BrokenTwins, AScaleThatIsHalfAPercentOff) {
  for (const Law law : kLaws) {
    const Sampler sampler = Sampler::make(law, 1000 * 1.005).value();
    EXPECT_NE(complaints(law, 1000, [&](std::span<std::int64_t> out) { sampler.fill(out, bits_); }), "");
  }
}

TEST_F(BrokenTwins, TheDiscreteLawInPlaceOfTheRoundedOne) {
  const Sampler laplace = Sampler::make(Law::discrete_laplace, 3.1).value();
  EXPECT_NE(complaints(Law::rounded_laplace, 3.1, [&](std::span<std::int64_t> out) { laplace.fill(out, bits_); }), "");
  const Sampler gaussian = Sampler::make(Law::discrete_gaussian, 3.1).value();
  EXPECT_NE(complaints(Law::rounded_gaussian, 3.1, [&](std::span<std::int64_t> out) { gaussian.fill(out, bits_); }),
            "");
}

TEST_F(BrokenTwins, SignsThatAlternate) {
  const Sampler sampler = Sampler::make(Law::rounded_gaussian, 1000).value();
  std::int64_t sign = 1;
  const auto twin = each([&] { return (sign = -sign) * std::abs(sampler(bits_)); });
  EXPECT_EQ(complaints(Law::rounded_gaussian, 1000, twin).find("cells"), std::string::npos);
  EXPECT_NE(complaints(Law::rounded_gaussian, 1000, twin).find("lag 1"), std::string::npos);
}

TEST_F(BrokenTwins, EveryCallRepeatingTheCallBefore) {
  const Sampler sampler = Sampler::make(Law::rounded_gaussian, 1000).value();
  std::vector<std::int64_t> kept;
  bool repeat = false;
  const Fill twin = [&](std::span<std::int64_t> out) {
    if (!repeat) {
      kept.resize(out.size());
      sampler.fill(kept, bits_);
    }
    std::copy_n(kept.begin(), std::min(kept.size(), out.size()), out.begin());
    repeat = !repeat;
  };
  EXPECT_NE(complaints(Law::rounded_gaussian, 1000, twin, kLawDraws / 10).find("between calls"), std::string::npos);
}

TEST_F(BrokenTwins, LanesThatShareTheirMagnitude) {
  const Sampler sampler = Sampler::make(Law::rounded_laplace, 1000).value();
  const Fill twin = [&](std::span<std::int64_t> out) {
    sampler.fill(out, bits_);
    for (std::size_t i = 64; i < out.size(); i += 128) {
      const std::int64_t magnitude = std::abs(out[i - 64]);
      out[i] = out[i] < 0 ? -magnitude : magnitude;
    }
  };
  EXPECT_NE(complaints(Law::rounded_laplace, 1000, twin).find("lag 64"), std::string::npos);
}

}  // namespace
}  // namespace chronoveil::noise
