// Which of a person's cells stay: every choice is equally likely.
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <numeric>

#include "bound/cell_records.h"
#include "noise/statistics.h"

namespace chronoveil::bound {
namespace {

using noise::chi_squared_p_value;
using noise::kLevel;

// Everybody has records in all of six cells, more of them in the first, and keeps two. The value says who it is.
constexpr std::size_t kPeople = 30'000;
constexpr std::int64_t kCells = 6;

std::vector<ValueRecord> everywhere() {
  std::vector<ValueRecord> records;
  for (std::size_t person = 0; person < kPeople; ++person) {
    for (std::int64_t slot = 0; slot < kCells; ++slot) {
      for (std::int64_t i = 0; i < (slot == 0 ? 3 : 1); ++i) {
        records.push_back({std::to_string(person), "", slot, static_cast<double>(person)});
      }
    }
  }
  return records;
}

// The p-value of "all 15 pairs of cells are equally likely", given which cells each person kept, as bits.
double p_value(const std::vector<unsigned>& kept) {
  std::map<unsigned, std::int64_t> counts;
  for (unsigned cells = 0; cells < 1u << kCells; ++cells) {
    if (__builtin_popcount(cells) == 2) counts[cells] = 0;
  }
  for (const unsigned cells : kept) {
    if (!counts.contains(cells)) return 0;
    ++counts[cells];
  }
  std::vector<std::int64_t> of_pairs;
  for (const auto& [cells, count] : counts) of_pairs.push_back(count);
  return chi_squared_p_value(of_pairs, std::vector<double>(of_pairs.size(), 1 / static_cast<double>(of_pairs.size())));
}

TEST(CellsUniformity, EveryChoiceOfCellsIsEquallyLikely) {
  const auto cells = cells_with_seed(everywhere(), kCells, {}, {2, {}}, 11);
  ASSERT_TRUE(cells);
  std::vector<unsigned> kept(kPeople);
  for (std::int64_t number = 0; number < kCells; ++number) {
    for (const auto& values : lists_of(cells->cell(number))) kept[values[0]] |= 1u << number;
  }
  EXPECT_GT(p_value(kept), kLevel);
}

TEST(CellsUniformity, EveryKeyChoosesAnew) {
  std::vector<ValueRecord> records;
  for (std::int64_t slot = 0; slot < kCells; ++slot) records.push_back({"ann", "", slot, 1});
  std::vector<unsigned> kept(16'000);
  for (std::size_t seed = 0; seed < kept.size(); ++seed) {
    const auto cells = cells_with_seed(records, kCells, {}, {2, {}}, seed);
    ASSERT_TRUE(cells);
    for (std::int64_t number = 0; number < kCells; ++number) {
      if (!cells->cell(number).counts.empty()) kept[seed] |= 1u << number;
    }
  }
  EXPECT_GT(p_value(kept), kLevel);
}

TEST(CellsUniformity, KeepingTheFirstCellsIsFoundOut) {
  EXPECT_LT(p_value(std::vector<unsigned>(kPeople, 0b11)), kLevel);
}

TEST(CellsUniformity, KeepingTheCellsOfRandomRecordsIsFoundOut) {
  // A cell with three records is then kept more often than the others.
  std::vector<unsigned> kept(kPeople);
  BitSource bits = BitSource::with_seed(12);
  for (unsigned& cells : kept) {
    while (__builtin_popcount(cells) < 2) {
      const std::uint64_t record = bits.next_u64() % 8;
      cells |= 1u << (record < 3 ? 0 : record - 2);
    }
  }
  EXPECT_LT(p_value(kept), kLevel);
}

TEST(CellsUniformity, TurningTheSameWheelIsFoundOut) {
  // Every cell is kept equally often, but only neighbours are kept together.
  std::vector<unsigned> kept(kPeople);
  for (std::size_t person = 0; person < kPeople; ++person) {
    kept[person] = 1u << person % kCells | 1u << (person + 1) % kCells;
  }
  EXPECT_LT(p_value(kept), kLevel);
}

}  // namespace
}  // namespace chronoveil::bound
