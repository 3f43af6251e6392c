#include "chronoveil/neural/private_gradient.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "noise/draws.h"
#include "noise/law_checker.h"

namespace chronoveil::neural {
namespace {

constexpr std::int64_t kCoordinates = 1 << 14;  // what the checker of laws asks for at a time
constexpr std::int64_t kDraws = std::min<std::int64_t>(noise::kLawDraws, 100 * kCoordinates);

Parameters numbers(std::int64_t count) {
  torch::set_num_threads(1);
  Parameters parameters;
  parameters.add("weight", torch::zeros({count}));
  return parameters;
}

// Noise takes a right to draw; bare bits do not compile.
template <class Bits>
concept GivesNoise = requires(const PrivateGradient& gradient, const torch::Tensor& sum, Bits& bits) {
  gradient(sum, bits);
}
|| requires(const PrivateGradient& gradient, const torch::Tensor& sum, Bits& bits) {
  gradient.noisy_on_grid(sum, bits);
};
static_assert(GivesNoise<DrawRight> && !GivesNoise<BitSource>);

noise::Fill draws_of(const PrivateGradient& gradient, DrawRight& right) {
  return [&](std::span<std::int64_t> out) {
    const torch::Tensor noisy = gradient.noisy_on_grid(torch::Tensor(), right).value();
    std::copy_n(noisy.data_ptr<std::int64_t>(), out.size(), out.begin());
  };
}

TEST(PrivateGradient, TheGridIsTheLargestPowerOfTwoWithinTheNoise) {
  const Parameters parameters = numbers(10);
  for (const auto& [clip, sigma] : {std::pair{1e-4, 4.0}, {1.0, 1.0}, {3.0, 1e-6}, {1e-4, 0.3}, {7.0, 500.0}}) {
    const auto gradient = PrivateGradient::make({clip, sigma, 128}, parameters).value();
    EXPECT_LE(gradient.grid().step(), sigma * clip / 0x1p30);
    EXPECT_GT(2 * gradient.grid().step(), sigma * clip / 0x1p30);
  }
}

TEST(PrivateGradient, NoiseIsNeverSmallerThanStated) {
  const Parameters parameters = numbers(10);
  bool inexact = false;
  for (const double clip : {1e-4, 0.1, 0.3, 1.0}) {
    for (const double sigma : {0.7, 1.1, 3.3, 4.0}) {
      const auto gradient = PrivateGradient::make({clip, sigma, 128}, parameters).value();
      const double scale = gradient.noise_scale() * gradient.grid().step();
      EXPECT_LE(std::fma(sigma, clip, -scale), 0);  // the sign of the exact difference
      EXPECT_LE(scale, sigma * clip * (1 + 0x1p-51));
      inexact = inexact || scale > sigma * clip;  // a plain product would have been smaller here
    }
  }
  EXPECT_TRUE(inexact);
}

TEST(PrivateGradient, TheNoiseOfAnEmptyBatchHasThePlannedLaw) {
  const Parameters parameters = numbers(kCoordinates);
  const auto gradient = PrivateGradient::make({1e-4, 4, 256}, parameters).value();
  DrawRight right = DrawRight::not_private(BitSource());
  noise::LawChecker checker(noise::Law::rounded_gaussian, 4 * 1e-4 / gradient.grid().step());
  EXPECT_EQ(checker.complaints(draws_of(gradient, right), kDraws), "");
}

TEST(PrivateGradient, TwinsWithOtherNoiseAreRejected) {
  const Parameters parameters = numbers(kCoordinates);
  const auto gradient = PrivateGradient::make({1e-4, 4, 256}, parameters).value();
  noise::LawChecker checker(noise::Law::rounded_gaussian, gradient.noise_scale());
  DrawRight right = DrawRight::not_private(BitSource());
  const noise::Fill fill = draws_of(gradient, right);
  const auto times = [&fill](double factor) {
    return [&fill, factor](std::span<std::int64_t> out) {
      fill(out);
      for (std::int64_t& value : out) value = std::llround(static_cast<double>(value) * factor);
    };
  };
  EXPECT_NE(checker.complaints(times(0.5), kDraws), "");
  EXPECT_NE(checker.complaints(times(1.0 / 256), kDraws), "");  // divided by Λ before it is added
  EXPECT_NE(checker.complaints(times(0.95), kDraws), "");
  const auto one_for_all = [&fill](std::span<std::int64_t> out) {
    fill(out);
    std::fill(out.begin(), out.end(), out[0]);
  };
  EXPECT_NE(checker.complaints(one_for_all, kDraws), "");
  const auto in_floats = [&fill](std::span<std::int64_t> out) {
    fill(out);
    for (std::int64_t& value : out) value = static_cast<std::int64_t>(static_cast<float>(value));
  };
  EXPECT_NE(checker.complaints(in_floats, kDraws), "");
}

TEST(PrivateGradient, NoiseIsAddedToTheSumOnTheGridAndDividedByTheExpectedSize) {
  const Parameters parameters = numbers(1000);
  const auto gradient = PrivateGradient::make({0.5, 2, 48}, parameters).value();
  const torch::Tensor sum = torch::linspace(-20, 20, 1000);
  const torch::Tensor exact = gradient.on_grid(sum).value();
  DrawRight first = DrawRight::seeded(3), second = DrawRight::seeded(3), third = DrawRight::seeded(3);
  const torch::Tensor noise = gradient.noisy_on_grid(torch::Tensor(), first).value();
  const torch::Tensor noisy = gradient.noisy_on_grid(sum, second).value();
  EXPECT_TRUE(torch::equal(noisy - noise, exact));
  const torch::Tensor mean = gradient(sum, third).value();
  const torch::Tensor expected = noisy.to(torch::kFloat64) * gradient.grid().step() / 48;
  EXPECT_EQ(mean.scalar_type(), torch::kFloat32);
  EXPECT_TRUE(torch::allclose(mean.to(torch::kFloat64), expected, 1e-7, 0));
}

TEST(PrivateGradient, AnUndefinedSumIsZero) {
  const Parameters parameters = numbers(100);
  const auto gradient = PrivateGradient::make({1e-4, 1, 8}, parameters).value();
  DrawRight first = DrawRight::seeded(4), second = DrawRight::seeded(4);
  const torch::Tensor empty = gradient(torch::Tensor(), first).value();
  EXPECT_TRUE(torch::equal(empty, gradient(torch::zeros({100}), second).value()));
  EXPECT_EQ((empty == 0).sum().item<std::int64_t>(), 0);
}

TEST(PrivateGradient, RoundsEveryFloatAsTheGridDoes) {
  const Parameters parameters = numbers(1 << 16);
  for (const double clip : {0x1p-13, 1.0, 0x1p20}) {
    const auto gradient = PrivateGradient::make({clip, 1, 8}, parameters).value();
    const auto step = static_cast<float>(gradient.grid().step());
    std::vector<float> values = {0, -0.0F, step / 2, -step / 2, step * 1.5F, -step * 1.5F, step * 0x1p25F};
    for (const float half : {step / 2, -step / 2, step * 2.5F, -step * 2.5F})
      for (const float to : {-INFINITY, INFINITY}) values.push_back(std::nextafter(half, to));
    values.push_back(std::numeric_limits<float>::denorm_min());
    values.push_back(-std::numeric_limits<float>::denorm_min());
    BitSource bits = BitSource::with_seed(5);
    while (values.size() < 1 << 16) {  // any float within the limit of the grid
      const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits.next_u64()));
      if (std::abs(static_cast<double>(value)) < 0x1p61 * gradient.grid().step()) values.push_back(value);
    }
    const torch::Tensor exact = gradient.on_grid(torch::tensor(values)).value();
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(exact.data_ptr<std::int64_t>()[i], gradient.grid().to_grid(values[i]).value()) << values[i];
  }
}

TEST(PrivateGradient, SumsBeyondTheGridAreLimited) {
  const Parameters parameters = numbers(2);
  const auto gradient = PrivateGradient::make({1e-4, 1, 8}, parameters).value();
  const torch::Tensor exact = gradient.on_grid(torch::tensor({3e38F, -3e38F})).value();
  EXPECT_EQ(exact[0].item<std::int64_t>(), noise::kValueLimit);
  EXPECT_EQ(exact[1].item<std::int64_t>(), -noise::kValueLimit);
}

TEST(PrivateGradient, TheBoundIsTheLargestFloatThatLeavesRoomForEveryError) {
  for (const std::int64_t d : {1, 1000, 20'000}) {
    const Parameters parameters = numbers(d);
    for (const auto& [clip, sigma] : {std::pair{1e-4, 4.0}, {1.0, 0.5}, {0.3, 1000.0}}) {
      const auto gradient = PrivateGradient::make({clip, sigma, 64}, parameters).value();
      for (const std::int64_t windows : {1, 2, 64, 256, 1000}) {
        const long double margin = 1 + static_cast<long double>(float_margin(parameters, windows));
        const auto moved = [&](double bound) {
          return 2 * bound * margin + gradient.grid().step() * std::sqrt(static_cast<long double>(d));
        };
        const double bound = gradient.bound_for(windows);
        EXPECT_EQ(static_cast<double>(static_cast<float>(bound)), bound);
        EXPECT_GT(bound, 0.9 * clip);
        EXPECT_LE(moved(bound), 2 * static_cast<long double>(clip));
        EXPECT_GT(moved(std::nextafter(static_cast<float>(bound), INFINITY)), 2 * static_cast<long double>(clip));
      }
    }
  }
}

TEST(PrivateGradient, ParametersOutOfRangeAreRefusedByName) {
  const Parameters parameters = numbers(10);
  const auto complaint = [&](double clip, double sigma, std::int64_t size) {
    const auto made = PrivateGradient::make({clip, sigma, size}, parameters);
    EXPECT_FALSE(made);
    if (made) return std::string();
    EXPECT_EQ(made.error().kind, ErrorKind::usage);
    return made.error().text().substr(0, made.error().text().find(':'));
  };
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, nan, infinity}) {
    EXPECT_EQ(complaint(bad, 1, 8), "clip");
    EXPECT_EQ(complaint(1, bad, 8), "noise_multiplier");
  }
  EXPECT_EQ(complaint(1e-20, 1, 8), "clip");
  EXPECT_EQ(complaint(1e30, 1, 8), "clip");
  EXPECT_EQ(complaint(1, 1e-300, 8), "noise_multiplier");
  EXPECT_EQ(complaint(1, 1e12, 8), "noise_multiplier");  // the grid is wider than the clip
  EXPECT_EQ(complaint(1, 1, 0), "batch_size");
  EXPECT_EQ(complaint(1, 1, std::int64_t{1} << 40), "batch_size");
}

TEST(PrivateGradient, ASumThatClippingCannotHaveMadeIsRefused) {
  const Parameters parameters = numbers(3);
  const auto gradient = PrivateGradient::make({1, 1, 8}, parameters).value();
  DrawRight right = DrawRight::not_private(BitSource());
  for (const torch::Tensor& sum : {torch::tensor({0.0F, NAN, 0.0F}), torch::tensor({0.0F, 0.0F, -INFINITY}),
                                   torch::zeros({2}), torch::zeros({3, 1}), torch::zeros({3}, torch::kFloat64)}) {
    const auto noisy = gradient(sum, right);
    ASSERT_FALSE(noisy);
    EXPECT_EQ(noisy.error().kind, ErrorKind::internal);
  }
}

TEST(PrivateGradient, NothingLeavesWhenTheBitsHaveFailed) {
  const Parameters parameters = numbers(3);
  const auto gradient = PrivateGradient::make({1, 1, 8}, parameters).value();
  DrawRight broken =
      DrawRight::not_private(BitSource::from_callback([](void*, void*, std::size_t) { return 1; }, nullptr));
  EXPECT_FALSE(gradient(torch::zeros({3}), broken));
}

}  // namespace
}  // namespace chronoveil::neural
