// The chance that what is protected is used at all, against what the accountant makes of hardly any noise: then whoever
// is used is known, and δ is that chance.
#include "chronoveil/accounting/chance_of_use.h"

#include <gtest/gtest.h>

#include <cmath>

#include "chronoveil/accounting/accountant.h"

namespace chronoveil::accounting {
namespace {

constexpr double kHardlyAny = 0.1;

double delta_without_noise(const Event& event) { return delta_at(event, *Epsilon::make(1)).value().delta; }

StructuredSubsampling windows(StructuredSubsampling::Top top, StructuredSubsampling::Bottom bottom,
                              std::int64_t windows_per_series) {
  StructuredSubsampling event{};
  event.series = 50;
  event.length = {400, 900};
  event.context_length = 3;
  event.forecast_length = 2;
  event.batch_size = 4 * windows_per_series;
  event.windows_per_series = windows_per_series;
  event.noise_multiplier = kHardlyAny;
  event.top_level = top;
  event.bottom_level = bottom;
  event.unit = Unit::event;
  event.width = 1;
  return event;
}

TEST(ChanceOfUse, OfStepsIsThatSomeStepIsKept) {
  for (const auto& [participation, rate] : {std::pair<std::int64_t, double>{1, 1e-4}, {7, 1e-4}, {3, 0.4}}) {
    const Event event{TimeSubsampling{participation, rate, kHardlyAny, {}, {}}, 1};
    EXPECT_NEAR(chance_of_use(event) / delta_without_noise(event), 1, 1e-3);
  }
  EXPECT_NEAR(chance_of_use({TimeSubsampling{2, 0.5, 1, {}, {}}, 3}), 1 - std::pow(0.5, 6), 1e-15);
  EXPECT_EQ(chance_of_use({TimeSubsampling{2, 1, 1, {}, {}}, 1}), 1);
}

TEST(ChanceOfUse, OfTrainingIsThatATouchedWindowIsDrawnInAnyStep) {
  using Top = StructuredSubsampling::Top;
  using Bottom = StructuredSubsampling::Bottom;
  for (const Top top : {Top::iterate, Top::without_replacement})
    for (const Bottom bottom : {Bottom::with_replacement, Bottom::poisson})
      for (const std::int64_t each : {1, 3}) {
        const Event event{windows(top, bottom, each), 1};
        EXPECT_NEAR(chance_of_use(event) / delta_without_noise(event), 1, 1e-2)
            << static_cast<int>(top) << static_cast<int>(bottom) << " " << each;
      }
  // By hand: 5 of 399 windows of a shorter series, in 4 of 50 series.
  const double once = 4.0 / 50 * 5 / 399;
  EXPECT_NEAR(chance_of_use({windows(Top::without_replacement, Bottom::with_replacement, 1), 20}),
              1 - std::pow(1 - once, 20), 1e-12);
}

TEST(ChanceOfUse, NothingElseLeavesAnythingOut) {
  EXPECT_EQ(chance_of_use({Gaussian{1}, 1}), 1);
  EXPECT_FALSE(delta_covers_use({Gaussian{1}, 1}, 0.999));
}

TEST(ChanceOfUse, DeltaCoversItFromTheChanceOn) {
  const Event event{TimeSubsampling{4, 0.001, 1, {}, {}}, 1};
  const double chance = 1 - std::pow(0.999, 4);
  EXPECT_FALSE(delta_covers_use(event, chance * (1 - 1e-9)));
  EXPECT_TRUE(delta_covers_use(event, chance));
  EXPECT_TRUE(delta_covers_use(event, std::nan("")));
}

}  // namespace
}  // namespace chronoveil::accounting
