#include "chronoveil/noise/single_draw.h"

#include <gtest/gtest.h>

#include <functional>

#include "noise/draws.h"
#include "noise/law_checker.h"

namespace chronoveil::noise {
namespace {

std::string complaints(Law law, double scale, std::int64_t draws, const std::function<std::int64_t()>& draw) {
  LawChecker checker(law, scale);
  const auto one_by_one = [&](std::span<std::int64_t> out) {
    for (std::int64_t& value : out) value = draw();
  };
  return checker.complaints(one_by_one, draws);
}

constexpr Law kRounded[] = {Law::rounded_laplace, Law::rounded_gaussian};

// The least, one where blocks are as short and one where they are as long as can be, and the largest.
TEST(DrawOnce, FollowsTheExactLaw) {
  BitSource bits;
  for (const Law law : kRounded)
    for (const double scale : {1.0, 1.999, 1.37 * 0x1p20, 0x1p40})
      EXPECT_EQ(complaints(law, scale, kLawDraws / 50, [&] { return draw_once(law, scale, bits); }), "") << scale;
}

TEST(DrawOnce, FollowsItByTheWideRouteToo) {
  BitSource bits;
  for (const Law law : kRounded)
    EXPECT_EQ(complaints(law, 77.7, kLawDraws / 1000, [&] { return draw_once(law, 77.7, bits, Route::wide); }), "");
}

TEST(DrawOnce, TwinsThatRoundDownOrForgetASignAreRejected) {
  constexpr std::int64_t kDraws = 200'000;  // as few as tell these two, so sanitizers make them too
  BitSource bits;
  for (const Law law : kRounded) {
    // Toward zero: half as many half steps.
    const auto truncated = [&] {
      const std::int64_t half_steps = draw_once(law, 6.2, bits);
      return half_steps / 2;
    };
    EXPECT_NE(complaints(law, 3.1, kDraws, truncated), "");
    EXPECT_NE(complaints(law, 3.1, kDraws, [&] { return std::abs(draw_once(law, 3.1, bits)); }), "");
  }
}

}  // namespace
}  // namespace chronoveil::noise
