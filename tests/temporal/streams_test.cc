// What all streams promise: no memory is taken a step, and nothing depends on what the values are.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "chronoveil/temporal/noisy_sorting.h"
#include "chronoveil/temporal/switching.h"
#include "chronoveil/temporal/threshold_dispatch.h"
#include "temporal/allocations.h"

namespace chronoveil::temporal {
namespace {

const SwitchLaw kRanSwitch{80, 0.05, false}, kStaSwitch{80, 0.05, true};
const NoisySortLaw kLaplaceSort{8, 1, KeyLaw::laplace, 100}, kSteepSort{8, 4, KeyLaw::staircase, 100},
    kShortSort{80, 0.5, KeyLaw::staircase, 20};
const ThresholdLaw kThreshold{80, 20};

template <class Value, class Visit>
void for_each_kernel(const Visit& visit) {
  visit(Switching<Value>::make(kRanSwitch).value());
  visit(Switching<Value>::make(kStaSwitch).value());
  for (const NoisySortLaw& law : {kLaplaceSort, kSteepSort, kShortSort}) visit(NoisySorting<Value>::make(law).value());
  visit(ThresholdDispatch<Value>::make(kThreshold).value());
}

template <class Kernel, class Sink>
void finish(Kernel& kernel, BitSource& bits, Sink&& sink) {
  if constexpr (requires { kernel.finish(bits, sink); }) {
    kernel.finish(bits, sink);
  } else {
    kernel.finish();
  }
}

TEST(Streams, NoMemoryIsTakenAStep) {
  BitSource bits;
  bits.next_u64();
  for_each_kernel<std::uint64_t>([&](auto kernel) {
    std::size_t left = 0;
    const auto sink = [&](auto&&) { ++left; };
    const std::size_t before = allocations();
    for (int series = 0; series < 3; ++series) {
      for (std::uint64_t i = 0; i < 3000; ++i) kernel.push(i, bits, sink);
      finish(kernel, bits, sink);
    }
    EXPECT_EQ(allocations() - before, 0u);
    EXPECT_EQ(left, 9000u);
  });
}

TEST(Streams, ValuesThatOwnMemoryAreMovedAndNeverCopied) {
  BitSource bits;
  bits.next_u64();
  for_each_kernel<std::string>([&](auto kernel) {
    std::vector<std::string> values(3000, std::string(100, 'x'));
    const auto sink = [](auto&&) {};
    const std::size_t before = allocations();
    for (std::string& value : values) kernel.push(std::move(value), bits, sink);
    finish(kernel, bits, sink);
    EXPECT_EQ(allocations() - before, 0u);
  });
}

TEST(Streams, TheCountOfAllocationsSeesACopy) {
  const std::string value(100, 'x');
  const std::size_t before = allocations();
  const std::vector<std::string> copies(3, value);
  EXPECT_EQ(allocations() - before, 4u);
}

// A value that tells where it was.
struct Marked {
  int step = 0;
  double value = 0;
};

// Where everything went, when, and the bits that come next, with values made by `value`.
template <class Kernel>
std::vector<std::uint64_t> trace(Kernel kernel, double (*value)(int)) {
  BitSource bits = BitSource::with_seed(3);
  std::vector<std::uint64_t> seen;
  const auto sink = [&](auto&& left) {
    if constexpr (requires { left->step; }) {
      seen.push_back(left ? static_cast<std::uint64_t>(left->step) : 999'999);
    } else {
      seen.push_back(static_cast<std::uint64_t>(left.step));
    }
  };
  for (int i = 0; i < 1000; ++i) {
    kernel.push(Marked{i, value(i)}, bits, sink);
    seen.push_back(1'000'000 + seen.size());
  }
  finish(kernel, bits, sink);
  seen.push_back(bits.next_u64());
  return seen;
}

TEST(Streams, NeitherWhatIsDrawnNorWhatLeavesWhenDependsOnValues) {
  std::vector<std::vector<std::uint64_t>> rising, equal, falling;
  for_each_kernel<Marked>(
      [&](auto kernel) { rising.push_back(trace(std::move(kernel), [](int i) { return i * 1.0; })); });
  for_each_kernel<Marked>([&](auto kernel) { equal.push_back(trace(std::move(kernel), [](int) { return 0.0; })); });
  for_each_kernel<Marked>(
      [&](auto kernel) { falling.push_back(trace(std::move(kernel), [](int i) { return -1.0 * i; })); });
  EXPECT_EQ(rising, equal);
  EXPECT_EQ(rising, falling);
}

TEST(Streams, AStreamOfSortedKeysNeedsALimit) {
  const auto named = [](const NoisySortLaw& law) {
    const auto made = NoisySorting<int>::make(law);
    return made ? "" : made.error().message.substr(0, made.error().message.find(':'));
  };
  EXPECT_EQ(named({4, 1, KeyLaw::laplace, std::nullopt}), "max_shift");
  EXPECT_EQ(named({4, 1, KeyLaw::laplace, kLargestHeldShift + 1}), "max_shift");
  EXPECT_EQ(named({1, 1, KeyLaw::laplace, 5}), "window");
  EXPECT_EQ(named({4, 1, KeyLaw::laplace, 1}), "");
}

}  // namespace
}  // namespace chronoveil::temporal
