#include "chronoveil/mechanisms/parts/circular_convolution.h"

#include <gtest/gtest.h>

#include <boost/multiprecision/cpp_int.hpp>
#include <random>

namespace chronoveil::mechanisms {
namespace {

using Whole = boost::multiprecision::cpp_int;

TEST(CircularConvolution, BothRoutesAreExact) {
  std::mt19937_64 random(9);
  for (const std::size_t n : {1, 2, 3, 8, 31, 64, 65, 130})
    for (const int bits : {1, 20, 62}) {
      std::vector<std::int64_t> kernel(n), x(n);
      for (auto& k : kernel) k = static_cast<std::int64_t>(random() >> 14) / static_cast<std::int64_t>(n);
      for (auto& each : x) each = static_cast<std::int64_t>(random() >> (64 - bits));
      x[0] = (std::int64_t{1} << bits) - 1;
      std::vector<Whole> truth(n);
      for (std::size_t s = 0; s < n; ++s)
        for (std::size_t j = 0; j < n; ++j) truth[(s + j) % n] += Whole(kernel[j]) * x[s];
      for (const auto route : {ConvolutionRoute::direct, ConvolutionRoute::transform, ConvolutionRoute::automatic}) {
        std::vector<WideSum> y(n, -1);
        CircularConvolution(kernel, route).apply(x, y);
        for (std::size_t t = 0; t < n; ++t) ASSERT_EQ(Whole(y[t]), truth[t]) << n << " " << bits;
      }
    }
}

TEST(CircularConvolution, TheLargestSumsComeOutWhole) {
  const std::size_t n = 1000;  // enough coefficients for the transform
  const std::vector<std::int64_t> kernel(n, (std::int64_t{1} << 50) / 1000), x(n, (std::int64_t{1} << 62) + 12345);
  std::vector<WideSum> y(n);
  CircularConvolution(kernel).apply(x, y);
  for (const WideSum each : y) ASSERT_EQ(Whole(each), Whole(kernel[0]) * 1000 * x[0]);
}

TEST(CircularConvolution, WideKernelsAgreeOnBothRoutes) {
  std::mt19937_64 random(10);
  const std::size_t n = 3001;
  std::vector<std::int64_t> kernel(n, 0), x(n);
  for (std::size_t j = 0; j < 700; ++j) kernel[j * 4] = static_cast<std::int64_t>(random() >> 30);
  for (auto& each : x) each = static_cast<std::int64_t>(random() >> 11);
  std::vector<WideSum> direct(n), automatic(n);
  CircularConvolution(kernel, ConvolutionRoute::direct).apply(x, direct);
  CircularConvolution(kernel).apply(x, automatic);
  EXPECT_TRUE(direct == automatic);
}

}  // namespace
}  // namespace chronoveil::mechanisms
