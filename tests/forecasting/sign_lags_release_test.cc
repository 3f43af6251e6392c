#include <gtest/gtest.h>

#include <cmath>

#include "chronoveil/forecasting/sign_lags/release.h"
#include "chronoveil/forecasting/sign_lags/sensitivity.h"
#include "chronoveil/noise/sampler.h"
#include "noise/draws.h"
#include "noise/law_checker.h"

namespace chronoveil::forecasting {
namespace {

const SignLagsConfig kConfig{.forecast = 2, .context = 60, .day = 2, .seasons = {2, 4}};

std::vector<float> zigzag(std::size_t length) {
  std::vector<float> values;
  for (std::size_t t = 0; t < length; ++t) values.push_back(static_cast<float>((5 * t + t * t / 7) % 11));
  return values;
}
SignProducts measured(const SignLagsConfig& config, std::size_t length) {
  SignProducts products = SignProducts::make(config).value();
  products.add(zigzag(length));
  return products;
}

// What releases add to the products, one release after the other.
noise::Fill noise_of(const SignProducts& products, double noise_multiplier, std::int64_t protected_values,
                     DrawRight& right) {
  return [=, &products, &right](std::span<std::int64_t> out) {
    for (std::size_t i = 0; i < out.size();) {
      const SignRelease made = release(products, noise_multiplier, protected_values, right).value();
      for (std::size_t k = 0; k < made.products.size() && i < out.size(); ++k, ++i)
        out[i] = made.products[k] - products.products()[k];
    }
  };
}

TEST(SignRelease, AddsRoundedGaussianNoiseOfTheStatedScaleToEveryProduct) {
  // Long, so that a release draws many numbers at once.
  const SignLagsConfig config{.forecast = 1, .context = 20'000, .day = 1, .seasons = {1}};
  const SignProducts products = measured(config, 30);
  for (const std::int64_t protected_values : {1, 3}) {
    const double noise_multiplier = 0.01;
    const double scale =
        noise_multiplier * std::sqrt(static_cast<double>(squared_sensitivity(config, protected_values).value()));
    const double stated = sign_noise(config, noise_multiplier, protected_values).value();
    EXPECT_GE(stated, scale * (1 - 1e-15));
    EXPECT_LE(stated, scale * (1 + 1e-15));
    DrawRight right = DrawRight::not_private(BitSource());
    EXPECT_EQ(noise::LawChecker(noise::Law::rounded_gaussian, stated)
                  .complaints(noise_of(products, noise_multiplier, protected_values, right), noise::kLawDraws / 5),
              "");
  }
}

TEST(SignRelease, BrokenTwinsAreCaught) {
  if (kSanitized) GTEST_SKIP() << "telling a twin from the original takes more draws than a sanitizer makes";
  const SignLagsConfig config{.forecast = 1, .context = 20'000, .day = 1, .seasons = {1}};
  const SignProducts products = measured(config, 30);
  const double noise_multiplier = 0.01, stated = sign_noise(config, noise_multiplier, 1).value();
  const auto complaints = [&](const noise::Fill& fill) {
    return noise::LawChecker(noise::Law::rounded_gaussian, stated).complaints(fill, noise::kLawDraws / 5);
  };
  DrawRight right = DrawRight::not_private(BitSource());
  EXPECT_NE(complaints(noise_of(products, noise_multiplier / 2, 1, right)), "") << "half of the noise";
  EXPECT_NE(complaints(noise_of(products, noise_multiplier * 0.99, 1, right)), "") << "a hundredth less";
  const noise::Fill fill = noise_of(products, noise_multiplier, 1, right);
  EXPECT_NE(complaints([&](std::span<std::int64_t> out) {
              fill(out);
              for (std::size_t i = 1; i < out.size(); i += 2) out[i] = out[i - 1];
            }),
            "")
      << "the same noise twice";
}

TEST(SignRelease, IsTheSameForTheSameSeedAndSaysSo) {
  const SignProducts products = measured(kConfig, 300);
  DrawRight one = DrawRight::seeded(7), same = DrawRight::seeded(7), other = DrawRight::seeded(8);
  EXPECT_EQ(release(products, 1, 1, one)->products, release(products, 1, 1, same)->products);
  EXPECT_NE(release(products, 1, 1, other)->products, release(products, 1, 1, same)->products);
  EXPECT_EQ(one.mark(), "seeded: not private");
}

TEST(SignRelease, KeepsPublicCountsAndTheScaleOfItsNoise) {
  const SignProducts products = measured(kConfig, 300);
  DrawRight right = DrawRight::seeded(1);
  const SignRelease made = release(products, 2, 3, right).value();
  EXPECT_EQ(made.config, kConfig);
  EXPECT_EQ(made.counts, products.counts());
  EXPECT_EQ(made.noise, sign_noise(kConfig, 2, 3).value());
  EXPECT_NEAR(made.noise, 2 * 2 * 3 * std::sqrt(2 * (1 + 16 * 62)), 1e-9);
  EXPECT_EQ(without_noise(products)->products, products.products());
  EXPECT_EQ(without_noise(products)->noise, 0);
}

TEST(SignRelease, RefusesNoiseThatIsNoneAndDataWithNothingToLearn) {
  const SignProducts products = measured(kConfig, 300);
  DrawRight right = DrawRight::seeded(1);
  for (const double wrong : {0.0, -1.0, std::nan(""), HUGE_VAL, 1e12})
    EXPECT_EQ(release(products, wrong, 1, right).error().parameter, "noise_multiplier") << wrong;
  EXPECT_EQ(release(products, 1, 0, right).error().parameter, "protected_values");
  const SignProducts nothing = measured(kConfig, 2);
  EXPECT_EQ(release(nothing, 1, 1, right).error().kind, ErrorKind::bad_data);
  EXPECT_EQ(without_noise(nothing).error().kind, ErrorKind::bad_data);
}

TEST(SignRelease, ThatWasTamperedWithIsRefused) {
  DrawRight right = DrawRight::seeded(1);
  const SignRelease good = release(measured(kConfig, 300), 1, 1, right).value();
  EXPECT_TRUE(check_release(good));
  const auto refused = [&](const auto& change) {
    SignRelease bad = good;
    change(bad);
    const auto checked = check_release(bad);
    return !checked;
  };
  EXPECT_TRUE(refused([](SignRelease& bad) { bad.products.pop_back(); }));
  EXPECT_TRUE(refused([](SignRelease& bad) { bad.counts.push_back(0); }));
  EXPECT_TRUE(refused([](SignRelease& bad) { bad.counts[3] = -1; }));
  EXPECT_TRUE(refused([](SignRelease& bad) { bad.counts[3] = bad.counts[2] + 1; }));
  EXPECT_TRUE(refused([](SignRelease& bad) { bad.noise = std::nan(""); }));
  EXPECT_TRUE(refused([](SignRelease& bad) { bad.config.context += 2; }));
  EXPECT_TRUE(refused([](SignRelease& bad) { bad.config.seasons = {}; }));
  EXPECT_TRUE(refused([](SignRelease& bad) { bad.noise = 0; })) << "it has noise beyond what products can be";
}

}  // namespace
}  // namespace chronoveil::forecasting
