// Which of a person's pairs stay: every choice is equally likely.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "bound/records.h"
#include "noise/statistics.h"

namespace chronoveil::bound {
namespace {

using noise::chi_squared_p_value;
using noise::kLevel;

// Person p is in all series, but in slot p only, so that the counts tell who kept what.
constexpr std::int64_t kPeople = 84'000;
const std::vector<std::string> kKeys = {"a", "b", "c", "d", "e", "f", "g", "h"};

std::vector<Record> everywhere_once() {
  std::vector<Record> records;
  for (std::int64_t person = 0; person < kPeople; ++person) {
    for (const std::string& key : kKeys) records.push_back({std::to_string(person), key, person, 1});
  }
  return records;
}

// The p-value of "every subset of `size` series is equally likely", given whether person p kept series s.
double p_value(std::size_t size, const std::function<bool(std::size_t series, std::int64_t person)>& kept) {
  std::vector<std::size_t> subsets;
  for (std::size_t mask = 0; mask < 256; ++mask) {
    if (static_cast<std::size_t>(__builtin_popcountll(mask)) == size) subsets.push_back(mask);
  }
  std::vector<std::int64_t> counts(subsets.size());
  for (std::int64_t person = 0; person < kPeople; ++person) {
    std::size_t mask = 0;
    for (std::size_t series = 0; series < kKeys.size(); ++series) {
      if (kept(series, person)) mask |= std::size_t{1} << series;
    }
    const auto found = std::find(subsets.begin(), subsets.end(), mask);
    if (found == subsets.end()) return 0;
    ++counts[static_cast<std::size_t>(found - subsets.begin())];
  }
  return chi_squared_p_value(counts, std::vector<double>(subsets.size(), 1 / static_cast<double>(subsets.size())));
}

double p_value_of(const std::vector<std::int64_t>& counts, std::size_t size) {
  return p_value(size, [&](std::size_t series, std::int64_t person) {
    return counts[series * static_cast<std::size_t>(kPeople) + static_cast<std::size_t>(person)] == 1;
  });
}

TEST(Uniformity, EveryChoiceOfPairsIsEquallyLikely) {
  const auto counts = counts_of(bound_with_seed(everywhere_once(), kPeople, kKeys, user_caps(3, 1), 11));
  EXPECT_GT(p_value_of(counts, 3), kLevel);
}

TEST(Uniformity, EverySeriesIsEquallyLikelyToBeTheOneThatCountsInASlot) {
  const auto counts = counts_of(bound_with_seed(everywhere_once(), kPeople, kKeys, event_caps(1), 12));
  EXPECT_GT(p_value_of(counts, 1), kLevel);
}

TEST(Uniformity, EveryKeyChoosesAnew) {
  // One person, many keys: each key is one draw.
  std::vector<Record> records;
  for (const std::string& key : kKeys) records.push_back({"ann", key, 0, 1});
  std::vector<std::int64_t> counts(kKeys.size());
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    const auto kept = counts_of(bound_with_seed(records, 1, kKeys, user_caps(1, 1), seed));
    ASSERT_EQ(std::accumulate(kept.begin(), kept.end(), std::int64_t{0}), 1);
    for (std::size_t series = 0; series < kKeys.size(); ++series) counts[series] += kept[series];
  }
  EXPECT_GT(chi_squared_p_value(counts, std::vector<double>(kKeys.size(), 1.0 / 8)), kLevel);
}

TEST(Uniformity, KeepingTheFirstIsFoundOut) {
  EXPECT_LT(p_value(3, [](std::size_t series, std::int64_t) { return series < 3; }), kLevel);
}

TEST(Uniformity, TurningTheSameWheelIsFoundOut) {
  // Every series is kept equally often, but only neighbours are kept together.
  EXPECT_LT(
      p_value(3, [](std::size_t series,
                    std::int64_t person) { return (series + static_cast<std::size_t>(person)) % kKeys.size() < 3; }),
      kLevel);
}

TEST(Uniformity, PrioritiesOfTooFewBitsAreFoundOut) {
  // Priorities of 3 bits, the cell deciding ties: the first series are kept somewhat too often.
  BitSource bits = BitSource::with_seed(13);
  std::vector<std::vector<bool>> kept(static_cast<std::size_t>(kPeople), std::vector<bool>(kKeys.size()));
  for (std::vector<bool>& of : kept) {
    std::vector<std::size_t> order(kKeys.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<std::uint64_t> priority(kKeys.size());
    for (std::uint64_t& of_series : priority) of_series = bits.next_u64() % 8;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return priority[a] < priority[b]; });
    for (std::size_t i = 0; i < 3; ++i) of[order[i]] = true;
  }
  EXPECT_LT(p_value(3, [&](std::size_t series,
                           std::int64_t person) { return kept[static_cast<std::size_t>(person)][series]; }),
            kLevel);
}

}  // namespace
}  // namespace chronoveil::bound
