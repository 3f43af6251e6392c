// What all streams promise: no allocation per step, and nobody looks at a value.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
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

// Default-constructible and movable; a kernel that did anything else with a value would not compile.
class Sealed {
 public:
  Sealed() = default;
  explicit Sealed(std::size_t step) : step_(std::make_unique<std::size_t>(step)) {}

 private:
  friend void open(const Sealed& sealed, std::vector<int>& seen) { ++seen.at(*sealed.step_); }
  std::unique_ptr<std::size_t> step_;  // none once it was moved on
};

// Threshold alone leaves slots empty.
void open(const std::optional<Sealed>& sealed, std::vector<int>& seen) {
  if (sealed) open(*sealed, seen);
}

TEST(Streams, ValuesAreSealedAndNoneLeavesTwice) {
  BitSource bits = BitSource::with_seed(3);
  for_each_kernel<Sealed>([&](auto kernel) {
    std::vector<int> seen(3000);
    const auto sink = [&](auto&& left) { open(left, seen); };
    for (std::size_t i = 0; i < seen.size(); ++i) kernel.push(Sealed(i), bits, sink);
    finish(kernel, bits, sink);
    constexpr bool kLoses = std::is_same_v<decltype(kernel), ThresholdDispatch<Sealed>>;
    EXPECT_EQ(*std::max_element(seen.begin(), seen.end()), 1);
    EXPECT_LE(std::count(seen.begin(), seen.end(), 0), kLoses ? kThreshold.window - kThreshold.threshold : 0);
  });
}

TEST(Streams, AStreamOfSortedKeysNeedsALimit) {
  const auto named = [](const NoisySortLaw& law) {
    const auto made = NoisySorting<int>::make(law);
    return made ? "" : made.error().text().substr(0, made.error().text().find(':'));
  };
  EXPECT_EQ(named({4, 1, KeyLaw::laplace, std::nullopt}), "max_shift");
  EXPECT_EQ(named({4, 1, KeyLaw::laplace, kLargestHeldShift + 1}), "max_shift");
  EXPECT_EQ(named({1, 1, KeyLaw::laplace, 5}), "window");
  EXPECT_EQ(named({4, 1, KeyLaw::laplace, 1}), "");
}

}  // namespace
}  // namespace chronoveil::temporal
