// Cells from records: what counts, in which order, and what is refused.
#include "chronoveil/bound/cells/bounded_cells.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <set>

#include "bound/cell_records.h"

namespace chronoveil::bound {
namespace {

constexpr CellCaps kLoose = {1000, {}};
const std::vector<std::string> kNames = {"north", "south"};

TEST(BoundedCells, HoldEverybodysValuesWhereAndWhenTheyAre) {
  const auto cells =
      cells_with_seed({{"ann", "south", 1, 5}, {"bob", "north", 0, 6}, {"ann", "south", 1, 3}}, 3, kNames, kLoose);
  ASSERT_TRUE(cells);
  EXPECT_EQ(cells->places(), 2);
  EXPECT_EQ(cells->steps(), 3);
  EXPECT_EQ(cells->cells(), 6);
  EXPECT_EQ(lists_of(*cells), (std::vector<CellLists>{{{6}}, {}, {}, {}, {{5, 3}}, {}}));
  EXPECT_EQ(cells->cell(0).upper_steps, 1u << 30);
  EXPECT_EQ(cells->left_out(), (CellsLeftOut{3, 0, 0, 0, 0, 0}));
}

TEST(BoundedCells, OrderPeopleByCountAndThenByTheBytesOfTheirIdentifier) {
  const std::string high = "\xc3\xa9", zero("b\0", 2);
  const auto cells = cells_with_seed({{high, "", 0, 1},
                                      {"b", "", 0, 2},
                                      {"a", "", 0, 3},
                                      {"c", "", 0, 4},
                                      {zero, "", 0, 5},
                                      {"c", "", 0, 6},
                                      {"ba", "", 0, 7},
                                      {"abcdefghi", "", 0, 8},
                                      {"abcdefgh", "", 0, 9}},
                                     1, {}, kLoose);
  ASSERT_TRUE(cells);
  EXPECT_EQ(lists_of(cells->cell(0)), (CellLists{{4, 6}, {3}, {9}, {8}, {2}, {5}, {7}, {1}}));
}

TEST(BoundedCells, TellLongIdentifiersApartByTheirLastByte) {
  const std::string name(100, 'x');
  const auto cells = cells_with_seed(
      {{name + "2", "", 0, 2}, {name + "1", "", 0, 1}, {name, "", 0, 3}, {name + "1", "", 0, 4}}, 1, {}, kLoose, 1, 1);
  ASSERT_TRUE(cells);
  EXPECT_EQ(lists_of(cells->cell(0)), (CellLists{{1, 4}, {3}, {2}}));
}

TEST(BoundedCells, KeepTheFirstRecordsOfAPersonInACell) {
  const std::vector<ValueRecord> records = {{"ann", "", 0, 5}, {"bob", "", 0, 1}, {"ann", "", 0, 4},
                                            {"ann", "", 1, 9}, {"ann", "", 0, 3}, {"ann", "", 0, 2}};
  const auto cells = cells_with_seed(records, 2, {}, {2, 2});
  ASSERT_TRUE(cells);
  EXPECT_EQ(lists_of(*cells), (std::vector<CellLists>{{{5, 4}, {1}}, {{9}}}));
  EXPECT_EQ(cells->left_out(), (CellsLeftOut{6, 0, 0, 0, 2, 0}));
}

TEST(BoundedCells, LetNobodyBeInMoreCellsThanTheCap) {
  std::vector<ValueRecord> records;
  for (std::int64_t slot = 0; slot < 50; ++slot) {
    records.push_back({"ann", "north", slot, 1});
    records.push_back({"ann", "south", slot, 1});
    records.push_back({"ann", "south", slot, 2});
    if (slot < 3) records.push_back({"bob", "south", slot, 7});
  }
  const auto cells = cells_with_seed(records, 50, kNames, {4, {}});
  ASSERT_TRUE(cells);
  std::int64_t of_ann = 0, records_of_ann = 0, of_bob = 0;
  for (const CellLists& lists : lists_of(*cells)) {
    for (const auto& values : lists) {
      (values[0] == 7 ? of_bob : of_ann) += 1;
      if (values[0] != 7) records_of_ann += std::ssize(values);
    }
  }
  EXPECT_EQ(of_ann, 4);
  EXPECT_EQ(of_bob, 3);
  EXPECT_EQ(cells->left_out().over_cells, 150 - records_of_ann);
  EXPECT_EQ(cells->left_out().over_records, 0);
}

// Why means of a person cost twice as much in a dataset of events (ledger/filters/neighbours.h).
TEST(BoundedCells, LetAnotherCellInWhereAnEventGoesUnlessTheCapIsEverything) {
  constexpr std::int64_t kSteps = 6;
  const auto cells_that_change = [&](std::int64_t max_cells) {
    std::size_t most = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      std::vector<ValueRecord> records;
      for (std::int64_t slot = 0; slot < kSteps; ++slot)
        for (const char* place : {"north", "south"}) records.push_back({"ann", place, slot, 5});
      const auto used = [&](const std::vector<ValueRecord>& from) {
        const Result<BoundedCells> cells = cells_with_seed(from, kSteps, {"north", "south"}, {max_cells, {}}, seed);
        std::set<std::int64_t> found;
        for (std::int64_t i = 0; i < cells->cells(); ++i)
          if (!cells->cell(i).counts.empty()) found.insert(i);
        return found;
      };
      const std::set<std::int64_t> all = used(records);
      for (std::int64_t slot = 0; slot < kSteps; ++slot) {
        std::vector<ValueRecord> rest = records;
        std::erase_if(rest, [&](const ValueRecord& record) { return record.slot == slot; });
        const std::set<std::int64_t> without = used(rest);
        std::vector<std::int64_t> changed;
        std::set_symmetric_difference(all.begin(), all.end(), without.begin(), without.end(),
                                      std::back_inserter(changed));
        most = std::max(most, changed.size());
      }
    }
    return most;
  };
  EXPECT_EQ(cells_that_change(1), 2u);
  EXPECT_EQ(cells_that_change(2), 4u);
  EXPECT_EQ(cells_that_change(3), 4u) << "two cells of the slot go, two others come";
  EXPECT_EQ(cells_that_change(2 * kSteps), 2u) << "the slot alone";
}

TEST(BoundedCells, DropWhatIsOutsideTheSpanOrAtNoListedPlace) {
  const auto cells = cells_with_seed({{"ann", "north", 0, 1},
                                      {"ann", "north", -1, 1},
                                      {"ann", "north", 2, 1},
                                      {"ann", "west", 0, 1},
                                      {"ann", "west", 2, 1}},
                                     2, kNames, {1, {}});
  ASSERT_TRUE(cells);
  EXPECT_EQ(lists_of(*cells), (std::vector<CellLists>{{{1}}, {}, {}, {}}));
  EXPECT_EQ(cells->left_out(), (CellsLeftOut{5, 3, 1, 0, 0, 0}));
}

TEST(BoundedCells, ClampValuesAndCountThose) {
  const double top = 1 << 30;
  const auto cells = cells_with_seed(
      {{"ann", "", 0, -1}, {"ann", "", 0, 0}, {"ann", "", 0, top}, {"ann", "", 0, 2 * top}, {"ann", "", 5, -1}}, 1, {},
      kLoose);
  ASSERT_TRUE(cells);
  EXPECT_EQ(lists_of(cells->cell(0)), (CellLists{{0, 0, 1u << 30, 1u << 30}}));
  EXPECT_EQ(cells->left_out().clamped, 2);
}

TEST(BoundedCells, OfNoRecordsAreEmpty) {
  const auto cells = cells_with_seed({}, 3, kNames, {1, 1});
  ASSERT_TRUE(cells);
  EXPECT_EQ(lists_of(*cells), std::vector<CellLists>(6));
  EXPECT_EQ(cells->left_out(), CellsLeftOut{});
}

TEST(BoundedCells, AreFoundByPointOnAGrid) {
  const auto grid = PlaceGrid::make({PlaceShape::square, 0, 0, 0.1, 0.1, 2000});
  ASSERT_TRUE(grid);
  std::vector<ValueRecord> records;
  std::vector<CellLists> expected(static_cast<std::size_t>(grid->places()) * 2);
  for (std::uint32_t i = 0; i < 10; ++i) {
    const double longitude = 0.01 * i, latitude = 0.1 - 0.008 * i;
    records.push_back({"u" + std::to_string(10 + i), "", i % 2, static_cast<double>(i), longitude, latitude});
    const std::int64_t place = grid->place_of(longitude, latitude);
    ASSERT_NE(place, PlaceGrid::kNowhere);
    expected[static_cast<std::size_t>(place) * 2 + i % 2].push_back({i});
  }
  records.push_back({"ann", "", 0, 1, 5, 5});
  ValueSource source(records, 4, {true, false, true, true});
  DrawRight right = DrawRight::seeded(1);
  const auto cells = bound_cells(source, hourly_axis(2), {{}, *grid}, kLoose, unit_grid(), right);
  ASSERT_TRUE(cells);
  EXPECT_EQ(cells->places(), grid->places());
  EXPECT_EQ(lists_of(*cells), expected);
  EXPECT_EQ(cells->left_out().unlisted_places, 1);
}

// Rows that nothing can be made of, in the middle of others and in a later batch.
void expect_refused_row(const ValueRecord& bad, const std::string& message) {
  const ValueRecord good = {"ann", "north", 0, 1, 0.5, 0.5};
  for (const std::size_t batch : {1u, 2u, 1000u}) {
    const auto cells = cells_with_seed({good, good, bad, good}, 1, kNames, kLoose, 1, batch);
    ASSERT_FALSE(cells) << batch;
    EXPECT_EQ(cells.error().kind, ErrorKind::bad_data);
    EXPECT_EQ(cells.error().text(), message);
  }
}

TEST(BoundedCells, RefuseRowsThatAreNobodysNowhereOrWithoutAValue) {
  expect_refused_row({"", "north", 0, 1}, "row 3: the user is empty; every record needs a user");
  expect_refused_row({"ann", "", 0, 1}, "row 3: the place is empty; every record needs a place");
  expect_refused_row({"ann", "south", 0, std::nan("")}, "row 3: the value is no finite number");
  expect_refused_row({"ann", "south", 0, std::numeric_limits<double>::infinity()},
                     "row 3: the value is no finite number");
}

TEST(BoundedCells, RefusePointsThatAreNoNumbers) {
  const auto grid = PlaceGrid::make({PlaceShape::square, 0, 0, 0.1, 0.1, 2000});
  ASSERT_TRUE(grid);
  ValueSource source({{"ann", "", 0, 1, 0.05, 0.05}, {"ann", "", 0, 1, std::nan(""), 0.05}}, 1,
                     {true, false, true, true});
  DrawRight right = DrawRight::seeded(1);
  const auto cells = bound_cells(source, hourly_axis(1), {{}, *grid}, kLoose, unit_grid(), right);
  ASSERT_FALSE(cells);
  EXPECT_EQ(cells.error().text(), "row 2: the place is empty; every record needs a place");
}

TEST(BoundedCells, RefuseSourcesWithoutTheColumnsTheyNeed) {
  const std::vector<ValueRecord> records = {{"ann", "north", 0, 1}};
  const auto message = [&](ValueColumns columns, const Places& places) {
    ValueSource source(records, 10, columns);
    DrawRight right = DrawRight::seeded(1);
    const auto cells = bound_cells(source, hourly_axis(1), places, kLoose, unit_grid(), right);
    if (cells) return std::string();
    EXPECT_EQ(cells.error().kind, ErrorKind::usage);
    return cells.error().text();
  };
  const auto grid = PlaceGrid::make({PlaceShape::square, 0, 0, 0.1, 0.1, 2000});
  ASSERT_TRUE(grid);
  EXPECT_EQ(message({false, true, true, false}, {kNames, {}}), "source.user: means need the column of users");
  EXPECT_EQ(message({true, true, false, false}, {kNames, {}}),
            "source.value: means need the column that holds the value");
  EXPECT_EQ(message({true, false, true, false}, {kNames, {}}),
            "source.place: a list of places needs the column of places");
  EXPECT_EQ(message({true, true, true, false}, {{}, *grid}),
            "source.longitude, source.latitude: a grid needs both columns");
  EXPECT_EQ(message({true, false, true, false}, {{}, {}}), "");
  EXPECT_EQ(message({true, false, true, true}, {kNames, *grid}),
            "places: a list of names and a grid exclude each other");
}

TEST(BoundedCells, RefuseListsSpansAndCapsThatMakeNoSense) {
  const auto message = [](std::int64_t steps, const std::vector<std::string>& names, const CellCaps& caps) {
    const auto cells = cells_with_seed({}, steps, names, caps);
    if (cells) return std::string();
    EXPECT_EQ(cells.error().kind, ErrorKind::usage);
    return cells.error().text();
  };
  EXPECT_EQ(message(1, {"a", "b", "a"}, kLoose), "places: \"a\" is in the list twice; every place must be there once");
  EXPECT_EQ(message(1, {"a", ""}, kLoose), "places: a name in the list is empty");
  EXPECT_EQ(message(0, {}, kLoose), "slots: there is no slot between start and end");
  EXPECT_EQ(message(1, {}, {0, {}}), "max_cells: 0 is not valid; it must be a whole number of at least 1");
  EXPECT_EQ(message(1, {}, {1, 0}), "max_records: 0 is not valid; it must be a whole number of at least 1");
  EXPECT_NE(message(1 << 16, std::vector<std::string>((1 << 12) + 1, "a"), kLoose).find("too many for one job"),
            std::string::npos);
  EXPECT_EQ(message(1, {}, {1, 1}), "");
}

}  // namespace
}  // namespace chronoveil::bound
