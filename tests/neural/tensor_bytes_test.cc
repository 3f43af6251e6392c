#include "chronoveil/neural/tensor_bytes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace chronoveil::neural {
namespace {

std::vector<Parameter> some() {
  return {{"hidden.0.weight", torch::linspace(-1, 1, 6).reshape({2, 3})},
          {"", torch::tensor({1e-40F, -0.0F})},
          {"steps", torch::full({}, 7.0F)},
          {"ü", torch::full({1, 2, 1}, std::numeric_limits<float>::infinity())}};
}

std::string word(std::uint64_t value) {
  std::string out;
  for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  return out;
}

TEST(TensorBytes, ComeBackBitByBit) {
  const std::vector<Parameter> before = some();
  const auto after = from_bytes(to_bytes(before));
  ASSERT_TRUE(after);
  ASSERT_EQ(after->size(), before.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_EQ((*after)[i].name, before[i].name);
    EXPECT_EQ((*after)[i].value.sizes(), before[i].value.sizes());
    EXPECT_TRUE(torch::equal((*after)[i].value, before[i].value));
  }
  EXPECT_TRUE(std::signbit((*after)[1].value[1].item<float>()));
  EXPECT_EQ(to_bytes(*after), to_bytes(before));
  EXPECT_TRUE(std::isnan((*from_bytes(to_bytes({{"x", torch::tensor({NAN})}})))[0].value.item<float>()));
  EXPECT_TRUE(from_bytes(to_bytes({}))->empty());
}

TEST(TensorBytes, HaveTheLayoutOfTheHeader) {
  const std::string bytes = to_bytes({{"ab", torch::tensor({{1.0F, -2.0F}})}});
  EXPECT_EQ(bytes, word(1) + word(2) + "ab" + word(2) + word(1) + word(2) + std::string("\0\0\x80\x3f\0\0\0\xc0", 8));
}

TEST(TensorBytes, OfAViewAreThoseOfItsNumbers) {
  const torch::Tensor matrix = torch::arange(6, torch::kFloat32).reshape({2, 3});
  EXPECT_EQ(to_bytes({{"t", matrix.t()}}), to_bytes({{"t", matrix.t().contiguous()}}));
}

TEST(TensorBytes, CutOffAnywhereAreRefused) {
  const std::string bytes = to_bytes(some());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto read = from_bytes(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(read) << size;
    EXPECT_EQ(read.error().kind, ErrorKind::bad_data);
  }
  EXPECT_FALSE(from_bytes(bytes + '\0'));
  EXPECT_FALSE(from_bytes(bytes + bytes));
}

// Whether a flipped bit is refused, or changes nothing but a name or a value.
TEST(TensorBytes, WithAnyBitOfAnySizeFlippedAreRefused) {
  const std::vector<Parameter> before = some();
  const std::string bytes = to_bytes(before);
  std::int64_t accepted = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[i] = static_cast<char>(damaged[i] ^ (1 << bit));
      const auto read = from_bytes(damaged);
      if (!read) continue;
      ++accepted;
      ASSERT_EQ(read->size(), before.size()) << i;
      for (std::size_t k = 0; k < before.size(); ++k) ASSERT_EQ((*read)[k].value.sizes(), before[k].value.sizes()) << i;
    }
  }
  const std::int64_t names = 15 + 5 + 2, values = 6 + 2 + 1 + 2;
  EXPECT_EQ(accepted, 8 * (names + 4 * values));
}

TEST(TensorBytes, SizesThatAreTooLargeAreRefusedWithoutMemoryForThem) {
  const auto one = [](const std::string& after_the_name) { return word(1) + word(1) + "x" + after_the_name; };
  const std::string values(64, '\0');
  const std::uint64_t huge = std::uint64_t{1} << 62, all = ~std::uint64_t{0};
  for (const std::uint64_t size : {huge, huge << 1, all, std::uint64_t{1} << 40, std::uint64_t{17}}) {
    EXPECT_FALSE(from_bytes(one(word(1) + word(size) + values)));
    EXPECT_FALSE(from_bytes(one(word(2) + word(size) + word(size) + values)));
    EXPECT_FALSE(from_bytes(one(word(2) + word(0) + word(size) + values)));  // no numbers, but a size beyond all
    EXPECT_FALSE(from_bytes(one(word(size) + values)));
    EXPECT_FALSE(from_bytes(word(1) + word(size) + values));
    EXPECT_FALSE(from_bytes(word(size) + values));
  }
  EXPECT_FALSE(from_bytes(one(word(2) + word(huge) + word(4) + values)));  // 2^64 numbers, which a word takes for none
  EXPECT_TRUE(from_bytes(one(word(1) + word(16) + values)));
}

}  // namespace
}  // namespace chronoveil::neural
