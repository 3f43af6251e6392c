// The same rows give the same cells, in whatever order, batches and threads they come; and those are the cells of the
// definition.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <new>
#include <random>

#include "bound/cell_records.h"
#include "chronoveil/bound/cells/cells_builder.h"
#include "chronoveil/bound/cells/placed_values.h"

namespace chronoveil::bound {
namespace {

const std::vector<std::string> kNames = {"n", "s", "e", "w", "a place with a name of many letters"};
constexpr std::int64_t kSteps = 12;

std::vector<ValueRecord> busy_day(std::size_t rows, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<ValueRecord> records(rows);
  for (ValueRecord& record : records) {
    // A few people with very many rows, many with few, a third of them with long names.
    const std::uint64_t number = random() % (random() % 2 == 0 ? 3 : 100);
    record.user = (number % 3 == 0 ? "somebody with a long name, " : "p") + std::to_string(number);
    record.place = random() % 50 == 0 ? "elsewhere" : kNames[random() % kNames.size()];
    record.slot = static_cast<std::int64_t>(random() % (random() % 3 == 0 ? kSteps + 1 : 2));
    record.value = static_cast<double>(random() % 5000) - 10;
  }
  return records;
}

std::vector<CellCaps> all_kinds() {
  return {{1, {}}, {1, 1}, {3, {}}, {3, 4}, {20, 2}, {1000, {}}, {1000, 5}, {kSteps * 5, 1}};
}

struct Outcome {
  std::vector<CellLists> cells;
  CellsLeftOut left_out;
};

// By the definition, with everything in memory. The keys are drawn in the order in which bounding draws them.
Outcome reference(const std::vector<ValueRecord>& records, const CellCaps& caps, std::uint64_t seed) {
  BitSource bits = BitSource::with_seed(seed);
  SipHash::with_key_from(bits);  // of the names of places
  const SipHash person_hash = SipHash::with_key_from(bits), cell_hash = SipHash::with_key_from(bits);
  Outcome out;
  out.left_out.rows = std::ssize(records);
  std::map<std::string, std::map<std::uint32_t, std::vector<std::uint32_t>>> people;
  for (const ValueRecord& record : records) {
    const auto place = std::find(kNames.begin(), kNames.end(), record.place) - kNames.begin();
    if (record.slot < 0 || record.slot >= kSteps) {
      ++out.left_out.outside_span;
    } else if (place == std::ssize(kNames)) {
      ++out.left_out.unlisted_places;
    } else {
      if (record.value < 0) ++out.left_out.clamped;
      people[record.user][static_cast<std::uint32_t>(place * kSteps + record.slot)].push_back(
          static_cast<std::uint32_t>(std::max(0.0, record.value)));
    }
  }
  // A map is sorted by the bytes of its keys, so people go to their cells by identifier.
  out.cells.resize(kNames.size() * kSteps);
  for (const auto& [user, cells] : people) {
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<std::uint32_t>> by_priority;
    for (const auto& [cell, values] : cells) by_priority[{cell_hash(person_hash(user), cell), cell}] = values;
    std::int64_t number = 0;
    for (auto& [order, values] : by_priority) {
      if (number++ >= caps.max_cells) {
        out.left_out.over_cells += std::ssize(values);
        continue;
      }
      const auto stay = std::min(values.size(), static_cast<std::size_t>(caps.max_records.value_or(1'000'000)));
      out.left_out.over_records += static_cast<std::int64_t>(values.size() - stay);
      values.resize(stay);
      out.cells[order.second].push_back(values);
    }
  }
  for (CellLists& lists : out.cells) {
    std::stable_sort(lists.begin(), lists.end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  }
  return out;
}

// As bound_cells does it, but cut at other moments and by other numbers of threads.
Outcome build(const std::vector<ValueRecord>& records, const CellCaps& caps, std::uint64_t seed,
              std::uint32_t first_cut, unsigned workers, std::size_t batch) {
  ValueSource source(records, batch);
  BitSource bits = BitSource::with_seed(seed);
  const SlotAxis axis = hourly_axis(kSteps);
  const Places places = {kNames, {}};
  auto placer = ValuePlacer::make(source, axis, places, unit_grid(), bits);
  EXPECT_TRUE(placer);
  CellsBuilder builder(placer->places(), placer->steps(), unit_grid(), caps, bits, first_cut);
  for (PlacedValues values; *placer->next(values);) builder.add(values.rows);
  const BoundedCells cells = std::move(builder).finish(placer->left_out(), workers);
  return {lists_of(cells), cells.left_out()};
}

void expect_same(const Outcome& actual, const Outcome& expected) {
  EXPECT_EQ(actual.cells, expected.cells);
  EXPECT_EQ(actual.left_out, expected.left_out);
}

TEST(CellsOrder, CellsAreThoseOfTheDefinition) {
  std::mt19937_64 random(1);
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::vector<ValueRecord> records = busy_day(random() % 1500, seed);
    for (const CellCaps& caps : all_kinds()) {
      const Outcome expected = reference(records, caps, seed);
      const auto cells = cells_with_seed(records, kSteps, kNames, caps, seed);
      ASSERT_TRUE(cells);
      expect_same({lists_of(*cells), cells->left_out()}, expected);
    }
  }
}

TEST(CellsOrder, MomentsOfCuttingBatchesAndThreadsDoNotMatter) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    const std::vector<ValueRecord> records = busy_day(1000, 100 + seed);
    for (const CellCaps& caps : all_kinds()) {
      const Outcome expected = reference(records, caps, seed);
      for (const std::uint32_t first_cut : {1u, 2u, 3u, 50u}) {
        expect_same(build(records, caps, seed, first_cut, 1, 1000), expected);
      }
      for (const unsigned workers : {2u, 3u, 7u}) expect_same(build(records, caps, seed, 1, workers, 1000), expected);
      for (const std::size_t batch : {1u, 63u, 64u, 65u})
        expect_same(build(records, caps, seed, 5, 2, batch), expected);
    }
  }
}

TEST(CellsOrder, OfRowsChangesNeitherCountsNorPackingNorWhichCellsStay) {
  // The number of the person is the value, so that lists tell who is where.
  std::vector<ValueRecord> records = busy_day(3000, 5);
  for (ValueRecord& record : records)
    record.value = static_cast<double>(std::hash<std::string>()(record.user) % 100'000);
  std::mt19937_64 random(6);
  for (const CellCaps& caps : all_kinds()) {
    const auto first = cells_with_seed(records, kSteps, kNames, caps);
    ASSERT_TRUE(first);
    for (int i = 0; i < 4; ++i) {
      std::shuffle(records.begin(), records.end(), random);
      const auto again = cells_with_seed(records, kSteps, kNames, caps);
      ASSERT_TRUE(again);
      expect_same({lists_of(*again), again->left_out()}, {lists_of(*first), first->left_out()});
    }
  }
}

TEST(CellsOrder, OtherPeopleDoNotMatter) {
  // What stays of everybody else is the same with and without the busiest person: the caps are everybody's own.
  const std::string busiest = "p1";
  std::vector<ValueRecord> records = busy_day(3000, 7);
  for (ValueRecord& record : records) record.value = record.user == busiest ? 1 << 20 : 1;
  std::vector<ValueRecord> others;
  std::copy_if(records.begin(), records.end(), std::back_inserter(others),
               [&](const ValueRecord& record) { return record.user != busiest; });
  ASSERT_LT(others.size(), records.size() - 100);
  for (const CellCaps& caps : all_kinds()) {
    const auto with = cells_with_seed(records, kSteps, kNames, caps),
               without = cells_with_seed(others, kSteps, kNames, caps);
    ASSERT_TRUE(with && without);
    std::vector<CellLists> rest = lists_of(*with);
    std::int64_t gone = 0;
    for (CellLists& lists : rest) {
      gone += std::erase_if(lists, [](const auto& values) { return values[0] == 1 << 20; });
    }
    EXPECT_EQ(rest, lists_of(*without));
    EXPECT_GT(gone, 0);
    EXPECT_LE(gone, caps.max_cells);
  }
}

TEST(CellsOrder, ManyRowsAreReadOnAnotherThreadWithTheSameResult) {
  // In one batch everything is read before the thread starts; in many, nearly nothing.
  const std::vector<ValueRecord> records = busy_day(60'000, 8);
  for (const CellCaps& caps : {CellCaps{10, 20}, CellCaps{1000, {}}}) {
    const auto whole = cells_with_seed(records, kSteps, kNames, caps, 1, records.size());
    const auto in_batches = cells_with_seed(records, kSteps, kNames, caps, 1, 1000);
    ASSERT_TRUE(whole && in_batches);
    expect_same({lists_of(*in_batches), in_batches->left_out()}, reference(records, caps, 1));
    expect_same({lists_of(*whole), whole->left_out()}, reference(records, caps, 1));
  }
}

TEST(CellsOrder, ErrorsOfTheOtherThreadArrive) {
  std::vector<ValueRecord> records = busy_day(60'000, 9);
  records[50'000] = {"", "n", 0, 1};
  const auto cells = cells_with_seed(records, kSteps, kNames, {10, 2}, 1, 1000);
  ASSERT_FALSE(cells);
  EXPECT_EQ(cells.error().text(), "row 50001: the user is empty; every record needs a user");
}

TEST(CellsOrder, RunningOutOfMemoryOnTheOtherThreadIsAnErrorToo) {
  class Exhausting : public ValueSource {
   public:
    Exhausting() : ValueSource(busy_day(60'000, 10)) {}
    Result<bool> next(data::RecordBatch& batch) override {
      if (++batches_ == 50) throw std::bad_alloc();
      return ValueSource::next(batch);
    }

   private:
    int batches_ = 0;
  } source;
  DrawRight right = DrawRight::seeded(1);
  const auto cells = bound_cells(source, hourly_axis(kSteps), {kNames, {}}, {10, 2}, unit_grid(), right);
  ASSERT_FALSE(cells);
  EXPECT_EQ(cells.error().kind, ErrorKind::storage);
}

TEST(CellsOrder, AnotherKeyChoosesOtherCells) {
  const std::vector<ValueRecord> records = busy_day(3000, 11);
  EXPECT_NE(lists_of(*cells_with_seed(records, kSteps, kNames, {3, {}}, 1)),
            lists_of(*cells_with_seed(records, kSteps, kNames, {3, {}}, 2)));
}

TEST(CellsOrder, MemoryGrowsWithWhatStaysNotWithWhatIsRead) {
  // A thousand times the same day: the same number of records stays of it.
  const std::vector<ValueRecord> records = busy_day(1000, 12);
  const auto lines_after = [&](int times, const CellCaps& caps) {
    ValueSource source(records);
    BitSource bits = BitSource::with_seed(1);
    const SlotAxis axis = hourly_axis(kSteps);
    const Places places = {kNames, {}};
    auto placer = ValuePlacer::make(source, axis, places, unit_grid(), bits);
    CellsBuilder builder(placer->places(), placer->steps(), unit_grid(), caps, bits);
    PlacedValues values;
    EXPECT_TRUE(*placer->next(values));
    for (int i = 0; i < times; ++i) builder.add(values.rows);
    return builder.lines();
  };
  // About a hundred people: two records in each of at most three cells, one more entry per cell; twice that between
  // cuts, or everything before the first cut. That is room for two chunks, of three lines.
  EXPECT_LE(lines_after(1000, {3, 2}), 103u * 3);
  EXPECT_GT(lines_after(10, {1000, {}}), 103u * 3);
}

}  // namespace
}  // namespace chronoveil::bound
