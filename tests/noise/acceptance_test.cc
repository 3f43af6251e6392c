#include "chronoveil/noise/acceptance.h"

#include <gtest/gtest.h>

#include <cmath>

#include "noise/draws.h"
#include "noise/statistics.h"

namespace chronoveil::noise {
namespace {

TEST(Accepts, TheQuickAndTheWideRouteAgreeOnTheSameBits) {
  BitSource choice = BitSource::with_seed(1);
  int accepted = 0, rejected = 0;
  for (int i = 0; i < (kSanitized ? 2'000 : 20'000); ++i) {
    const bool gaussian = i % 2 == 0;
    const double scale = std::ldexp(1 + static_cast<double>(choice.next_u64() % 1000) / 1000, i % 38 + 6);
    const double z = static_cast<double>(choice.next_u64() % 7000) / 1000;
    const auto position = static_cast<Uint128>(scale * z);
    const std::uint64_t factor = 1 << 20;
    // A height next to the curve, or anywhere.
    const double density = std::exp(gaussian ? -z * z / 2 : -z) * static_cast<double>(factor);
    const std::uint64_t height = i % 3 == 0 ? choice.next_u64() % factor : static_cast<std::uint64_t>(density);
    const Candidate candidate{height, position, i % 5 == 0, factor, 0};
    BitSource a = BitSource::with_seed(static_cast<std::uint64_t>(i)),
              b = BitSource::with_seed(static_cast<std::uint64_t>(i));
    const bool quick = accepts({gaussian, scale}, candidate, a);
    ASSERT_EQ(quick, accepts({gaussian, scale}, candidate, b, Route::wide));
    ++(quick ? accepted : rejected);
  }
  EXPECT_GT(accepted, 100);
  EXPECT_GT(rejected, 100);
}

TEST(Accepts, WithTheProbabilityThatTheCurveGives) {
  // A height uniform in [0, 1) and an exact position: P(accept) = exp(-phi).
  constexpr std::int64_t kTrials = kSanitized ? 3'000 : 30'000;
  BitSource bits;
  for (const Route route : {Route::quick_then_wide, Route::wide}) {
    for (const std::uint64_t position : {0u, 1u, 3u, 7u}) {
      for (const bool gaussian : {false, true}) {
        std::int64_t accepted = 0;
        for (std::int64_t i = 0; i < kTrials; ++i) {
          accepted += accepts({gaussian, 2.5}, {0, position, true, 1, 0}, bits, route) ? 1 : 0;
        }
        const double z = static_cast<double>(position) / 2.5;
        EXPECT_GT(binomial_p_value(accepted, kTrials, std::exp(gaussian ? -z * z / 2 : -z)), kLevel);
      }
    }
  }
}

TEST(Accepts, FarPositionsAndLargeExponentsAreDecidedWithoutHugeNumbers) {
  BitSource bits;
  // 2^(2^40) exp(-2^80 / 2^10): nothing near 1, and not computable digit by digit.
  const Candidate far{0, Uint128{1} << 80, true, 1, std::int64_t{1} << 40};
  EXPECT_FALSE(accepts({false, 1024}, far, bits));
  EXPECT_FALSE(accepts({true, 1024}, far, bits));
}

TEST(Accepts, AnExponentScalesTheCurve) {
  // 2^4 exp(-position) with position = 4: 0.2930...
  constexpr std::int64_t kTrials = kSanitized ? 3'000 : 30'000;
  BitSource bits;
  for (const Route route : {Route::quick_then_wide, Route::wide}) {
    std::int64_t accepted = 0;
    for (std::int64_t i = 0; i < kTrials; ++i) accepted += accepts({false, 1}, {0, 4, true, 1, 4}, bits, route) ? 1 : 0;
    EXPECT_GT(binomial_p_value(accepted, kTrials, 16 * std::exp(-4.0)), kLevel);
  }
}

}  // namespace
}  // namespace chronoveil::noise
