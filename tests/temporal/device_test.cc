#include "chronoveil/temporal/device.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/staircase.h"
#include "chronoveil/temporal/noisy_sorting.h"
#include "chronoveil/temporal/switching.h"
#include "chronoveil/temporal/threshold_dispatch.h"
#include "temporal/allocations.h"

namespace chronoveil::temporal {
namespace {

// The randomness of a device: a seeded stream, which fails for good after `calls` calls.
struct Generator {
  BitSource bits = BitSource::with_seed(11);
  int calls = std::numeric_limits<int>::max();
  static int fill(void* context, void* bytes, std::size_t size) {
    auto& self = *static_cast<Generator*>(context);
    self.bits.fill({static_cast<std::uint64_t*>(bytes), size / sizeof(std::uint64_t)});
    return self.calls-- > 0 ? 0 : -1;
  }
};

struct Case {
  std::string name;
  cv_options options;
};

cv_options with(int mechanism) {
  cv_options options{};
  options.mechanism = mechanism;
  options.value_size = sizeof(std::uint32_t);
  options.window = 7;
  options.random = &cv_libsodium;
  return options;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const int mechanism : {CV_RANSWITCH, CV_STASWITCH}) {
    all.push_back({mechanism == CV_RANSWITCH ? "ranswitch" : "staswitch", with(mechanism)});
    all.back().options.stay = 0.3;
  }
  all.push_back({"threshold", with(CV_THRESHOLD)});
  all.back().options.threshold = 3;
  for (const int law : {CV_LAPLACE, CV_STAIRCASE}) {
    all.push_back({law == CV_LAPLACE ? "noisy_sort, laplace" : "noisy_sort, staircase", with(CV_NOISY_SORT)});
    all.back().options.epsilon = 2;
    all.back().options.key_law = law;
    all.back().options.max_shift = 30;
  }
  all.push_back({"noisy_sort, staircase of another plateau", all.back().options});
  all.back().options.plateau = 6;
  return all;
}

using Slots = std::vector<std::optional<std::uint32_t>>;

// What the kernels release of 0, 1, ..., n - 1, twice in a row.
template <class Kernel>
Slots released_by(Result<Kernel> made, std::uint32_t n) {
  Kernel kernel = std::move(made).value();
  BitSource bits = BitSource::with_seed(11);
  Slots slots;
  const auto sink = [&](std::optional<std::uint32_t> value) { slots.push_back(value); };
  for (int series = 0; series < 2; ++series) {
    for (std::uint32_t i = 0; i < n; ++i) kernel.push(i, bits, sink);
    if constexpr (requires { kernel.finish(bits, sink); }) {
      kernel.finish(bits, sink);
    } else {
      kernel.finish();
    }
  }
  return slots;
}

Slots released_by_kernel(const cv_options& options, std::uint32_t n) {
  using Value = std::uint32_t;
  switch (options.mechanism) {
    case CV_THRESHOLD: return released_by(ThresholdDispatch<Value>::make({options.window, options.threshold}), n);
    case CV_NOISY_SORT:
      return released_by(
          NoisySorting<Value>::make(
              {options.window, options.epsilon, options.key_law == CV_STAIRCASE ? KeyLaw::staircase : KeyLaw::laplace,
               options.max_shift, options.plateau == 0 ? std::nullopt : std::optional(options.plateau)}),
          n);
    default:
      return released_by(Switching<Value>::make({options.window, options.stay, options.mechanism == CV_STASWITCH}), n);
  }
}

using Bytes = std::vector<unsigned char>;

// A value of `size` bytes; with 4 bytes or more, no two are alike.
Bytes value_of(std::uint32_t i, std::size_t size) {
  Bytes bytes(size);
  for (std::size_t j = 0; j < size; ++j) bytes[j] = static_cast<unsigned char>((i >> (8 * (j % 4))) + j / 4);
  return bytes;
}

struct Released {
  std::size_t size;
  std::vector<std::optional<Bytes>> slots;
  static void take(void* context, const void* value) {
    auto& self = *static_cast<Released*>(context);
    const auto* bytes = static_cast<const unsigned char*>(value);
    self.slots.push_back(bytes == nullptr ? std::nullopt : std::optional(Bytes(bytes, bytes + self.size)));
  }
};

cv_stream* opened(const cv_options& options) {
  cv_stream* stream = nullptr;
  EXPECT_EQ(cv_open(&options, &stream), CV_OK);
  return stream;
}

TEST(Device, GivesWhatTheKernelsGiveFromTheSameBitsForValuesOfAnySize) {
  constexpr std::uint32_t kValues = 200;
  for (const Case& mechanism : cases()) {
    SCOPED_TRACE(mechanism.name);
    const Slots expected = released_by_kernel(mechanism.options, kValues);
    ASSERT_GE(expected.size(), 2 * kValues);
    for (std::size_t size = 1; size <= 64; ++size) {
      Generator generator;
      cv_options options = mechanism.options;
      options.value_size = size;
      options.random = &Generator::fill;
      options.random_context = &generator;
      cv_stream* const stream = opened(options);
      Released released{size, {}};
      for (int series = 0; series < 2; ++series) {
        for (std::uint32_t i = 0; i < kValues; ++i) {
          ASSERT_EQ(cv_push(stream, value_of(i, size).data(), &Released::take, &released), CV_OK);
        }
        ASSERT_EQ(cv_finish(stream, &Released::take, &released), CV_OK);
      }
      cv_close(stream);
      ASSERT_EQ(released.slots.size(), expected.size());
      for (std::size_t slot = 0; slot < expected.size(); ++slot) {
        ASSERT_EQ(released.slots[slot].has_value(), expected[slot].has_value());
        if (expected[slot]) {
          ASSERT_EQ(*released.slots[slot], value_of(*expected[slot], size));
        }
      }
    }
  }
}

TEST(Device, WithoutAPlateauItHasThatOfTheRule) {
  cv_options unsaid = cases()[4].options, said = unsaid, other = unsaid;
  said.plateau = staircase_plateau(unsaid.window, unsaid.epsilon);
  other.plateau = said.plateau + 1;
  const auto released = [](cv_options options) {
    Generator generator;
    options.random = &Generator::fill;
    options.random_context = &generator;
    cv_stream* const stream = opened(options);
    Released out{sizeof(std::uint32_t), {}};
    for (std::uint32_t i = 0; i < 500; ++i) cv_push(stream, &i, &Released::take, &out);
    cv_finish(stream, &Released::take, &out);
    cv_close(stream);
    return out.slots;
  };
  EXPECT_EQ(released(unsaid), released(said));
  EXPECT_NE(released(unsaid), released(other));
}

TEST(Device, ReleasesEveryValueOnceWithTheRandomnessOfTheOperatingSystem) {
  for (const Case& mechanism : cases()) {
    SCOPED_TRACE(mechanism.name);
    for (const std::uint32_t values : {0u, 1u, 2u, 6u, 7u, 8u, 1000u}) {
      cv_stream* const stream = opened(mechanism.options);
      Released released{sizeof(std::uint32_t), {}};
      for (std::uint32_t i = 0; i < values; ++i) {
        ASSERT_EQ(cv_push(stream, value_of(i, 4).data(), &Released::take, &released), CV_OK);
      }
      ASSERT_EQ(cv_finish(stream, &Released::take, &released), CV_OK);
      cv_close(stream);
      EXPECT_EQ(released.slots.size(), values);
      std::multiset<Bytes> left;
      for (std::uint32_t i = 0; i < values; ++i) left.insert(value_of(i, 4));
      for (const auto& slot : released.slots) {
        if (slot) {
          EXPECT_EQ(left.erase(*slot), 1u);
        }
      }
      const auto empty = std::count(released.slots.begin(), released.slots.end(), std::nullopt);
      EXPECT_EQ(left.size(), static_cast<std::size_t>(empty));
      if (mechanism.options.mechanism != CV_THRESHOLD) {
        EXPECT_EQ(empty, 0);
      }
    }
  }
}

TEST(Device, HoldsBackWhatTheMechanismSaysAndNoMore) {
  const std::vector<Case> all = cases();
  for (const std::size_t mechanism : {0u, 1u}) {
    cv_stream* const stream = opened(all[mechanism].options);
    Released released{4, {}};
    for (std::uint32_t i = 0; i < 50; ++i) {
      cv_push(stream, value_of(i, 4).data(), &Released::take, &released);
      EXPECT_EQ(released.slots.size(), i < 6 ? 0 : i - 5);  // the k-th arrival makes the first leave
    }
    cv_close(stream);
  }
  cv_stream* const stream = opened(all[3].options);
  Released released{4, {}};
  for (std::uint32_t i = 0; i < 500; ++i) {
    cv_push(stream, value_of(i, 4).data(), &Released::take, &released);
    EXPECT_GE(released.slots.size() + 60, i + 1);  // at most 2m stay inside between two arrivals
  }
  cv_close(stream);
}

TEST(Device, NothingLeavesFromTheStepOnWhoseRandomnessFailed) {
  constexpr std::uint32_t kValues = 390;
  for (const Case& mechanism : cases()) {
    SCOPED_TRACE(mechanism.name);
    const Slots expected = released_by_kernel(mechanism.options, kValues);
    bool failed_in_finish = false;
    for (const int calls : {0, 1, 2, 5, 9, 11, 12, 13}) {
      Generator generator;
      generator.calls = calls;
      cv_options options = mechanism.options;
      options.random = &Generator::fill;
      options.random_context = &generator;
      cv_stream* const stream = opened(options);
      Released released{4, {}};
      int status = CV_OK;
      for (std::uint32_t i = 0; i < kValues; ++i) {
        const std::size_t before = released.slots.size();
        const int next = cv_push(stream, value_of(i, 4).data(), &Released::take, &released);
        ASSERT_TRUE(status == CV_OK || next == CV_NO_RANDOMNESS);
        status = next;
        if (status != CV_OK) {
          ASSERT_EQ(status, CV_NO_RANDOMNESS);
          ASSERT_EQ(released.slots.size(), before);
        }
      }
      const std::size_t before = released.slots.size();
      const int last = cv_finish(stream, &Released::take, &released);
      if (calls < 5) {
        EXPECT_EQ(status, CV_NO_RANDOMNESS);
      }
      if (last != CV_OK) {
        EXPECT_EQ(last, CV_NO_RANDOMNESS);
        EXPECT_EQ(released.slots.size(), before);
        failed_in_finish = failed_in_finish || status == CV_OK;
      }
      ASSERT_LE(released.slots.size(), expected.size());
      for (std::size_t slot = 0; slot < released.slots.size(); ++slot) {
        ASSERT_EQ(released.slots[slot].has_value(), expected[slot].has_value());
        if (expected[slot]) {
          ASSERT_EQ(*released.slots[slot], value_of(*expected[slot], 4));
        }
      }
      cv_close(stream);
    }
    if (mechanism.name == "ranswitch") {
      EXPECT_TRUE(failed_in_finish);  // 384 words for the arrivals are 12 calls; the end needs another
    }
  }
}

TEST(Device, TakesNoMemoryAfterItWasOpened) {
  for (const Case& mechanism : cases()) {
    SCOPED_TRACE(mechanism.name);
    cv_options options = mechanism.options;
    Generator generator;  // the same draws in every run: one in 10^9 may take memory
    options.random = &Generator::fill;
    options.random_context = &generator;
    const std::size_t closed = allocations();
    cv_stream* const stream = opened(options);
    const std::size_t open = allocations();
    EXPECT_GT(open, closed);
    std::size_t slots = 0;
    const auto count = [](void* context, const void*) { ++*static_cast<std::size_t*>(context); };
    for (int series = 0; series < 3; ++series) {
      for (std::uint32_t i = 0; i < 5000; ++i) cv_push(stream, &i, count, &slots);
      cv_finish(stream, count, &slots);
    }
    EXPECT_EQ(allocations(), open);
    EXPECT_EQ(slots, 15'000u);
    cv_close(stream);
  }
}

TEST(Device, SaysSoWhereMemoryDoesNotSuffice) {
  for (const Case& mechanism : cases()) {
    SCOPED_TRACE(mechanism.name);
    const std::size_t before = allocations();
    cv_close(opened(mechanism.options));
    const std::size_t needed = allocations() - before;
    for (std::size_t number = 1; number <= needed; ++number) {
      cv_stream* stream = nullptr;
      refuse_allocation(number);
      const cv_status status = cv_open(&mechanism.options, &stream);
      refuse_allocation(0);
      ASSERT_EQ(status, CV_NO_MEMORY);
      ASSERT_EQ(stream, nullptr);
    }
  }
}

TEST(Device, AWrongOptionIsNamed) {
  struct Wrong {
    const char* field;
    cv_status status;
    std::size_t base;  // of cases()
    std::function<void(cv_options&)> spoil;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<Wrong> wrongs = {
      {"mechanism", CV_BAD_MECHANISM, 0, [](cv_options& o) { o.mechanism = 0; }},
      {"mechanism", CV_BAD_MECHANISM, 0, [](cv_options& o) { o.mechanism = 99; }},
      {"value_size", CV_BAD_VALUE_SIZE, 0, [](cv_options& o) { o.value_size = 0; }},
      {"value_size", CV_BAD_VALUE_SIZE, 0, [](cv_options& o) { o.value_size = 65'537; }},
      {"window", CV_BAD_WINDOW, 0, [](cv_options& o) { o.window = 1; }},
      {"window", CV_BAD_WINDOW, 1, [](cv_options& o) { o.window = -5; }},
      {"window", CV_BAD_WINDOW, 2, [](cv_options& o) { o.window = 0; }},
      {"window", CV_BAD_WINDOW, 3, [](cv_options& o) { o.window = 1'048'577; }},
      {"stay", CV_BAD_STAY, 0, [](cv_options& o) { o.stay = 0.1; }},
      {"stay", CV_BAD_STAY, 0, [](cv_options& o) { o.stay = 1; }},
      {"stay", CV_BAD_STAY, 1, [nan](cv_options& o) { o.stay = nan; }},
      {"stay", CV_BAD_STAY, 3, [](cv_options& o) { o.stay = 0.5; }},
      {"threshold", CV_BAD_THRESHOLD, 2, [](cv_options& o) { o.threshold = 0; }},
      {"threshold", CV_BAD_THRESHOLD, 2, [](cv_options& o) { o.threshold = 7; }},
      {"threshold", CV_BAD_THRESHOLD, 1, [](cv_options& o) { o.threshold = 3; }},
      {"epsilon", CV_BAD_EPSILON, 3, [](cv_options& o) { o.epsilon = 0; }},
      {"epsilon", CV_BAD_EPSILON, 4, [nan](cv_options& o) { o.epsilon = nan; }},
      {"epsilon", CV_BAD_EPSILON, 2, [](cv_options& o) { o.epsilon = 1; }},
      {"key_law", CV_BAD_KEY_LAW, 3, [](cv_options& o) { o.key_law = 0; }},
      {"key_law", CV_BAD_KEY_LAW, 3, [](cv_options& o) { o.key_law = 3; }},
      {"key_law", CV_BAD_KEY_LAW, 0, [](cv_options& o) { o.key_law = CV_LAPLACE; }},
      {"max_shift", CV_BAD_MAX_SHIFT, 3, [](cv_options& o) { o.max_shift = 0; }},
      {"max_shift", CV_BAD_MAX_SHIFT, 4, [](cv_options& o) { o.max_shift = -1; }},
      {"max_shift", CV_BAD_MAX_SHIFT, 4, [](cv_options& o) { o.max_shift = 16'777'217; }},
      {"max_shift", CV_BAD_MAX_SHIFT, 1, [](cv_options& o) { o.max_shift = 10; }},
      {"plateau", CV_BAD_PLATEAU, 5, [](cv_options& o) { o.plateau = 7; }},
      {"plateau", CV_BAD_PLATEAU, 5, [](cv_options& o) { o.plateau = -1; }},
      {"plateau", CV_BAD_PLATEAU, 3, [](cv_options& o) { o.plateau = 2; }},
      {"plateau", CV_BAD_PLATEAU, 0, [](cv_options& o) { o.plateau = 2; }},
      {"random", CV_BAD_RANDOM, 0, [](cv_options& o) { o.random = nullptr; }},
  };
  for (const Wrong& wrong : wrongs) {
    cv_options options = cases()[wrong.base].options;
    wrong.spoil(options);
    cv_stream* stream = reinterpret_cast<cv_stream*>(&options);
    const cv_status status = cv_open(&options, &stream);
    EXPECT_EQ(status, wrong.status) << wrong.field;
    EXPECT_EQ(stream, nullptr);
    EXPECT_EQ(std::string(cv_error_text(status)).find(std::string(wrong.field) + ": it must be "), 0u);
  }
}

TEST(Device, APointerThatMustBeGivenIsAskedFor) {
  const cv_options options = cases()[0].options;
  cv_stream* stream = nullptr;
  EXPECT_EQ(cv_open(nullptr, &stream), CV_BAD_CALL);
  EXPECT_EQ(cv_open(&options, nullptr), CV_BAD_CALL);
  stream = opened(options);
  Released released{4, {}};
  EXPECT_EQ(cv_push(nullptr, &options, &Released::take, &released), CV_BAD_CALL);
  EXPECT_EQ(cv_push(stream, nullptr, &Released::take, &released), CV_BAD_CALL);
  EXPECT_EQ(cv_push(stream, &options, nullptr, &released), CV_BAD_CALL);
  EXPECT_EQ(cv_finish(nullptr, &Released::take, &released), CV_BAD_CALL);
  EXPECT_EQ(cv_finish(stream, nullptr, &released), CV_BAD_CALL);
  // None of that is the stream's fault: it goes on.
  EXPECT_EQ(cv_push(stream, value_of(1, 4).data(), &Released::take, &released), CV_OK);
  EXPECT_EQ(cv_finish(stream, &Released::take, &released), CV_OK);
  EXPECT_EQ(released.slots.size(), 1u);
  cv_close(stream);
  cv_close(nullptr);
}

TEST(Device, EveryStatusHasATextOfItsOwn) {
  std::set<std::string> texts;
  const std::vector<int> statuses = {
      CV_OK,          CV_BAD_CALL,   CV_NO_MEMORY,     CV_NO_RANDOMNESS, CV_BAD_MECHANISM,
      CV_BAD_WINDOW,  CV_BAD_STAY,   CV_BAD_THRESHOLD, CV_BAD_EPSILON,   CV_BAD_VALUE_SIZE,
      CV_BAD_KEY_LAW, CV_BAD_RANDOM, CV_BAD_MAX_SHIFT, CV_BAD_PLATEAU,   12345};
  for (const int status : statuses) texts.insert(cv_error_text(status));
  EXPECT_EQ(texts.size(), statuses.size());
}

TEST(Device, LibsodiumFillsAnyNumberOfBytes) {
  for (const std::size_t size : {0u, 1u, 7u, 8u, 255u, 256u, 257u, 1000u}) {
    // A byte that is never touched in 64 rounds would be 0 in all of them; by chance that is 2^-512.
    Bytes bytes(size + 1), touched(size + 1);
    for (int round = 0; round < 64; ++round) {
      ASSERT_EQ(cv_libsodium(nullptr, bytes.data(), size), 0);
      for (std::size_t i = 0; i <= size; ++i) touched[i] |= bytes[i];
    }
    for (std::size_t i = 0; i < size; ++i) EXPECT_NE(touched[i], 0);
    EXPECT_EQ(touched[size], 0);
  }
}

}  // namespace
}  // namespace chronoveil::temporal
