// The transform against the sum that defines it, in 64 bits.
#include "chronoveil/accounting/grid/real_transform.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "accounting/generated.h"

namespace chronoveil::accounting {
namespace {

using Numbers = std::vector<double>;

// How far (re, im) is from the transform of x, over what is promised.
long double error_of(const Numbers& x, const Numbers& re, const Numbers& im) {
  const std::size_t n = x.size();
  std::vector<long double> cosine(n), sine(n);
  for (std::size_t k = 0; k < n; ++k) {
    const long double angle =
        2 * std::numbers::pi_v<long double> * static_cast<long double>(k) / static_cast<long double>(n);
    cosine[k] = std::cos(angle);
    sine[k] = -std::sin(angle);
  }
  long double squares = 0, size = 0;
  for (std::size_t k = 0; k <= n / 2; ++k) {
    long double true_re = 0, true_im = 0;
    for (std::size_t j = 0; j < n; ++j) {
      true_re += x[j] * cosine[j * k % n];
      true_im += x[j] * sine[j * k % n];
    }
    const long double mirrored = k == 0 || k == n / 2 ? 1 : 2;
    squares += mirrored * (std::pow(true_re - re[k], 2) + std::pow(true_im - im[k], 2));
    size += mirrored * (true_re * true_re + true_im * true_im);
  }
  return std::sqrt(squares / size) / (kTransformError * std::log2(static_cast<long double>(n)) * 0x1p-53L);
}

// What stands in the accountant: a peak, masses over many orders of magnitude, a single one, and anything.
std::vector<Numbers> inputs(std::size_t n, Generator& generator) {
  Numbers peak(n), wide(n), single(n), any(n);
  for (std::size_t k = 0; k < n; ++k) {
    const double away = (static_cast<double>(k) - 0.3 * static_cast<double>(n)) / (0.05 * static_cast<double>(n));
    peak[k] = std::exp(-away * away);
    wide[k] = generator.log_uniform(1e-15, 1);
    any[k] = generator.uniform(-1, 1);
  }
  single[n / 3] = 1;
  return {peak, wide, single, any};
}

TEST(RealTransform, ItsErrorIsWithinTheBoundBothWays) {
  Generator generator(5);
  for (const std::size_t n : {4u, 8u, 12u, 16u, 20u, 24u, 32u, 40u, 48u, 80u, 128u, 160u, 192u, 512u, 640u, 768u}) {
    RealTransform transform(n);
    for (const Numbers& x : inputs(n, generator)) {
      Numbers re(n / 2 + 1), im(n / 2 + 1), back(n);
      transform.forward(x.data(), re.data(), im.data());
      EXPECT_LE(error_of(x, re, im), 1) << n;
      // The inverse: what it returns has the transform that it was given.
      transform.inverse(re.data(), im.data(), back.data());
      EXPECT_LE(error_of(back, re, im), 1) << n;
      // Twins: a turn the wrong way, and twice as much round-off as is promised.
      Numbers turned = im, noisy = re;
      for (double& value : turned) value = -value;
      double norm = 0;
      for (std::size_t k = 0; k < re.size(); ++k) norm += re[k] * re[k] + im[k] * im[k];
      noisy[n / 4] += 4 * std::sqrt(norm) * kTransformError * std::log2(static_cast<double>(n)) * 0x1p-53;
      EXPECT_GT(error_of(x, re, turned), 1) << n;
      EXPECT_GT(error_of(x, noisy, im), 1) << n;
    }
  }
}

TEST(RealTransform, SizesAreTheNextOnesThatItKnows) {
  EXPECT_EQ(transform_size(1), 4);
  EXPECT_EQ(transform_size(4), 4);
  EXPECT_EQ(transform_size(9), 12);
  EXPECT_EQ(transform_size(17), 20);
  EXPECT_EQ(transform_size(1025), 1280);
  EXPECT_EQ(transform_size(1281), 1536);
  EXPECT_EQ(transform_size(1537), 2048);
}

}  // namespace
}  // namespace chronoveil::accounting
