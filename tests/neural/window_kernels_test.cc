#include "chronoveil/neural/window_kernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace chronoveil::neural {
namespace {

constexpr std::int64_t kWindows = 3;

PlacedFloats placed(const torch::Tensor& x) { return {x.data_ptr<float>(), x.stride(0), x.stride(1)}; }

// [B, S, f], laid out as models leave it: plain, with the steps outside, or part of something wider.
std::vector<torch::Tensor> layouts(std::int64_t places, std::int64_t features) {
  return {torch::randn({kWindows, places, features}), torch::randn({places, kWindows, features}).transpose(0, 1),
          torch::randn({kWindows, places, features + 1}).narrow(2, 1, features)};
}

std::vector<float> formed(const std::vector<PlacedUse>& uses, std::int64_t window, std::int64_t width) {
  std::vector<float> out(static_cast<std::size_t>(width), std::numeric_limits<float>::quiet_NaN());
  std::vector<float> scratch(static_cast<std::size_t>(scratch_for(uses)));
  form_gradient(uses, window, out.data(), scratch.data());
  return out;
}

TEST(WindowKernels, ProductsAreThoseOfEveryShapeAndLayout) {
  torch::manual_seed(3);
  for (const std::int64_t places : {1, 6, 48})
    for (const std::int64_t out : {1, 3, 8, 13, 40})
      for (const std::int64_t in : {1, 6, 8, 17, 24, 40, 47})
        for (std::size_t layout = 0; layout < 3; ++layout) {
          const torch::Tensor g = layouts(places, out)[layout], x = layouts(places, in)[layout];
          const PlacedUse once{PlacedUse::Kind::product, placed(g), placed(x), places, out, in, 2, true};
          PlacedUse again = once;  // the same parameter a second time, from other values
          const torch::Tensor other = torch::randn({kWindows, places, in});
          again.input = placed(other);
          again.first = false;
          for (std::int64_t b = 0; b < kWindows; ++b) {
            const std::vector<float> found = formed({once, again}, b, out * in + 2);
            const torch::Tensor expected =
                torch::mm(g[b].t().to(torch::kFloat64), (x[b] + other[b]).to(torch::kFloat64)).contiguous();
            for (std::int64_t i = 0; i < out * in; ++i)
              ASSERT_NEAR(found[static_cast<std::size_t>(i + 2)], expected.data_ptr<double>()[i], 2e-5)
                  << places << " " << out << " " << in << " " << layout << " at " << i;
            EXPECT_TRUE(std::isnan(found[0]) && std::isnan(found[1]));  // what is before its offset is not its own
          }
        }
}

TEST(WindowKernels, SumsAndGainsAddUpOverPlaces) {
  torch::manual_seed(4);
  for (const torch::Tensor& g : layouts(7, 11)) {
    const torch::Tensor x = torch::randn({kWindows, 7, 11});
    const PlacedUse sum{PlacedUse::Kind::sum, placed(g), {}, 7, 11, 1, 0, true};
    const PlacedUse gain{PlacedUse::Kind::elementwise, placed(g), placed(x), 7, 11, 1, 11, true};
    for (std::int64_t b = 0; b < kWindows; ++b) {
      const std::vector<float> found = formed({sum, gain}, b, 22);
      const torch::Tensor expected = torch::cat({g[b].sum(0), (g[b] * x[b]).sum(0)});
      for (std::int64_t i = 0; i < 22; ++i)
        EXPECT_NEAR(found[static_cast<std::size_t>(i)], expected[i].item<float>(), 1e-5);
    }
  }
}

TEST(WindowKernels, SquaresAreAddedInDouble) {
  std::vector<float> v(1003, 1e-4F);
  v[0] = 1e2F;  // beside its square, those of the others are lost in float
  const double small = static_cast<double>(1e-4F) * static_cast<double>(1e-4F), large = 1e4;
  EXPECT_NEAR(sum_of_squares(v.data(), 1003), large + 1002 * small, 1e-9);
  v[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(std::isnan(sum_of_squares(v.data(), 1003)));
}

TEST(WindowKernels, MultiplesAreExactInDouble) {
  const std::vector<float> v = {1.0F + 0x1p-23F, -3.0F, 0.1F, 7.0F, 1e-20F};
  const float c = 1.0F - 0x1p-24F;
  std::vector<double> sum(v.size(), 0.0);
  add_multiple(c, v.data(), 5, sum.data());
  for (std::size_t i = 0; i < v.size(); ++i) EXPECT_EQ(sum[i], static_cast<double>(c) * static_cast<double>(v[i]));
  std::vector<float> floats(v.size(), 2.0F);
  add_multiple(c, v.data(), 5, floats.data());
  for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(floats[i], 2.0 + sum[i], 2e-7 * (2 + std::abs(sum[i])));
}

}  // namespace
}  // namespace chronoveil::neural
