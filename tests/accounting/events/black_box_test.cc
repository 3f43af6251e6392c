// The black box that structured subsampling is compared with.
#include <gtest/gtest.h>

#include "accounting/oracle.h"
#include "chronoveil/accounting/events/event.h"

namespace chronoveil::accounting {
namespace {

TEST(StructuredSubsampling, TheBlackBoxPoolsAllWindowsWithoutReplacement) {
  StructuredSubsampling e{};
  e.series = 6;
  e.length = {12};
  e.context_length = 2;
  e.forecast_length = 1;
  e.batch_size = 10;
  e.noise_multiplier = 2;
  const auto event = black_box_event(e);
  ASSERT_TRUE(event);
  const auto& mixture = std::get<Mixture>(event->kind);
  ASSERT_EQ(mixture.p.means.size(), 4U);  // 0..K touched windows, K = 3
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(mixture.p.means[k], 2.0 * static_cast<double>(k));
    const Real exact = oracle::hypergeometric_weight(72, 3, 10, static_cast<std::int64_t>(k));
    EXPECT_LE(abs(mixture.p.weights[k] - exact), Real(1e-14) * exact);
  }
}

}  // namespace
}  // namespace chronoveil::accounting
