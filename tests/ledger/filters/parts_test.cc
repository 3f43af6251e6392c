#include "chronoveil/ledger/filters/parts.h"

#include <gmock/gmock.h>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/ledger/dataset.h"
#include "fixtures.h"

namespace chronoveil::ledger::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Cost kNothing{{Amount()}, Amount()};

PartCosts costs(const std::map<std::int64_t, double>& epsilons) {
  PartCosts result;
  for (const auto& [place, epsilon] : epsilons) result[place] = Cost{{Amount::stated_up(epsilon)}, Amount()};
  return result;
}

std::string charge(const std::map<std::int64_t, double>& epsilons, std::int64_t straddle, Relation relation) {
  const Partition partition{Partition::By::day, {}, straddle};
  const Protected promise{straddle > 1 ? Unit::w_event : Unit::event, 1, relation};
  return dearest(costs(epsilons), partition, promise, kNothing).values[0].text();
}

TEST(Parts, AddingOrRemovingTouchesTheDearestPart) {
  EXPECT_EQ(charge({}, 1, Relation::add_remove), "0");
  EXPECT_EQ(charge({{0, 0.5}, {1, 0.75}, {7, 0.25}}, 1, Relation::add_remove), "0.75");
}

TEST(Parts, AReplacementTouchesTheTwoDearestParts) {
  EXPECT_EQ(charge({{0, 0.5}}, 1, Relation::replace), "0.5");
  EXPECT_EQ(charge({{0, 0.5}, {1, 0.75}, {7, 0.25}}, 1, Relation::replace), "1.25");
  EXPECT_EQ(charge({{0, 0.25}, {1, 0.75}, {7, 0.5}}, 1, Relation::replace), "1.25");
}

TEST(Parts, AWindowAddsNeighbouringParts) {
  EXPECT_EQ(charge({{0, 0.5}, {1, 0.75}, {3, 1}}, 2, Relation::add_remove), "1.25");
  EXPECT_EQ(charge({{0, 0.5}, {2, 0.75}, {4, 1}}, 2, Relation::add_remove), "1");
  EXPECT_EQ(charge({{0, 0.5}, {2, 0.75}, {4, 1}}, 3, Relation::add_remove), "1.75");
}

TEST(Parts, ReplacedWindowsAddTwoRuns) {
  EXPECT_EQ(charge({{0, 0.5}, {1, 0.75}, {2, 1}}, 2, Relation::replace), "2.25");
  EXPECT_EQ(charge({{0, 0.5}, {1, 0.5}, {5, 0.25}, {9, 1}}, 2, Relation::replace), "2");
}

// The dearest of all neighbours, and of those in one place, looked at one by one.
TEST(Parts, NoNeighbourIsDearerThanTheDearest) {
  const std::map<std::int64_t, double> epsilons = {{0, 0.5}, {1, 0.25}, {2, 1}, {5, 0.75}, {6, 2}, {9, 0.125}};
  for (const Relation relation : {Relation::add_remove, Relation::replace}) {
    for (const std::int64_t straddle : {1, 2, 3}) {
      const auto largest = [&](std::optional<std::int64_t> place) {
        Amount most;
        for_each_neighbour(costs(epsilons), {Partition::By::day, {}, straddle},
                           {straddle > 1 ? Unit::w_event : Unit::event, 1, relation}, kNothing, place,
                           [&](const Cost& cost) {
                             most = std::max(most, cost.values[0]);
                             return true;
                           });
        return most.text();
      };
      EXPECT_EQ(largest(std::nullopt), charge(epsilons, straddle, relation));
      // What is charged to somebody in place 9, and in 20, which nothing has touched yet.
      const std::string elsewhere =
          relation == Relation::replace ? charge(epsilons, straddle, Relation::add_remove) : "0";
      EXPECT_EQ(largest(20), elsewhere);
      EXPECT_EQ(largest(9), Amount(value_of(Amount::parse(elsewhere)) + Amount::stated_up(0.125)).text());
    }
  }
}

// Every choice of one or two runs, by brute force.
TEST(Parts, TheDearestRunsAreThoseOfBruteForce) {
  std::uint32_t random = 1;
  const auto next = [&](std::uint32_t below) { return (random = random * 1664525u + 1013904223u) / 65536u % below; };
  for (int trial = 0; trial < 2'000; ++trial) {
    std::map<std::int64_t, double> epsilons;
    for (int i = 0; i < 6; ++i) epsilons[next(12)] = 0.125 * (1 + next(8));
    for (std::int64_t straddle = 1; straddle <= 4; ++straddle) {
      double one = 0, two = 0;
      for (std::int64_t a = -4; a < 12; ++a) {
        for (std::int64_t b = -4; b < 12; ++b) {
          double single = 0, both = 0;
          for (const auto& [place, epsilon] : epsilons) {
            const bool in_a = place >= a && place < a + straddle, in_b = place >= b && place < b + straddle;
            if (in_a) single += epsilon;
            if (in_a || in_b) both += epsilon;
          }
          one = std::max(one, single);
          two = std::max(two, both);
        }
      }
      ASSERT_EQ(charge(epsilons, straddle, Relation::add_remove), Amount::stated_up(one).text());
      ASSERT_EQ(charge(epsilons, straddle, Relation::replace), Amount::stated_up(two).text());
    }
  }
}

TEST(Parts, TheDearestPlacesAreNamed) {
  const Partition partition{Partition::By::list, {"a", "b", "c"}, 1};
  EXPECT_THAT(dearest_places(costs({{0, 0.5}, {1, 0.75}, {2, 0.6}}), partition, {Unit::event, 1, Relation::add_remove}),
              ElementsAre(1));
  EXPECT_THAT(dearest_places(costs({{0, 0.5}, {1, 0.75}, {2, 0.6}}), partition, {Unit::event, 1, Relation::replace}),
              ElementsAre(1, 2));
}

TEST(Parts, DaysAreNeighboursAcrossMonthsAndLeapYears) {
  const Partition days{Partition::By::day, {}, 1};
  EXPECT_EQ(value_of(place_of(days, "2026-03-01")), value_of(place_of(days, "2026-02-28")) + 1);
  EXPECT_EQ(value_of(place_of(days, "2028-03-01")), value_of(place_of(days, "2028-02-28")) + 2);
  for (const char* text : {"2026-02-29", "2026-13-01", "2026-3-1", "26-03-0001", "2026/03/01", "", "2026-03-01T00"}) {
    refusal(place_of(days, text), ErrorKind::usage);
  }
}

TEST(Parts, APartitionMustFitWhatIsProtected) {
  const Protected user{Unit::user, 1, Relation::add_remove}, event{Unit::event, 1, Relation::add_remove},
      window{Unit::w_event, 24, Relation::add_remove};
  const Partition days{Partition::By::day, {}, 1}, districts{Partition::By::list, {"north", "south"}, 1};
  EXPECT_THAT(refusal(make_partition(days, user), ErrorKind::usage), HasSubstr("many days"));
  EXPECT_TRUE(make_partition(days, event));
  EXPECT_TRUE(make_partition(districts, user));
  refusal(make_partition(days, window), ErrorKind::usage);
  EXPECT_TRUE(make_partition({Partition::By::day, {}, 2}, window));
  refusal(make_partition({Partition::By::day, {}, 2}, event), ErrorKind::usage);
  refusal(make_partition({Partition::By::list, {}, 1}, event), ErrorKind::usage);
  refusal(make_partition({Partition::By::list, {"a", "a"}, 1}, event), ErrorKind::usage);
  refusal(make_partition({Partition::By::list, {""}, 1}, event), ErrorKind::usage);
  refusal(make_partition({Partition::By::day, {"a"}, 1}, event), ErrorKind::usage);
}

TEST(Parts, AWindowTouchesAsManyPartsAsItHasEventsUnlessTheyAreKnownToBeLonger) {
  const Protected week{Unit::w_event, 7, Relation::add_remove};
  EXPECT_EQ(safe_straddle(week), 7);
  EXPECT_EQ(safe_straddle({Unit::w_event, 1, Relation::add_remove}), 2);
  EXPECT_EQ(safe_straddle({Unit::event, 1, Relation::add_remove}), 1);
  EXPECT_EQ(safe_straddle({Unit::user, 1, Relation::replace}), 1);
  EXPECT_TRUE(make_partition({Partition::By::day, {}, safe_straddle(week)}, week));
  // Seven days of 0.5 each: somebody's week is in all of them.
  std::map<std::int64_t, double> days;
  for (std::int64_t day = 0; day < 7; ++day) days[day] = 0.5;
  EXPECT_EQ(charge(days, safe_straddle(week), Relation::add_remove), "3.5");
  EXPECT_EQ(charge(days, 2, Relation::add_remove), "1");  // the twin: what two parts would make of it
}

TEST(Parts, TheRuleIsSaidInWords) {
  const Partition days{Partition::By::day, {}, 2}, list{Partition::By::list, {"a"}, 1};
  EXPECT_THAT(rule_of(list, {Unit::user, 1, Relation::add_remove}), HasSubstr("the dearest counts"));
  EXPECT_THAT(rule_of(list, {Unit::user, 1, Relation::replace}), HasSubstr("the two dearest add"));
  EXPECT_THAT(rule_of(days, {Unit::w_event, 24, Relation::add_remove}), HasSubstr("straddles"));
  EXPECT_THAT(rule_of(days, {Unit::w_event, 24, Relation::replace}), HasSubstr("two dearest runs"));
}

// A dataset that an earlier version made with its default of two is read with the number that is safe.
TEST(Parts, AnEarlyDefaultOfTwoIsNotBelieved) {
  DatasetRequest request = dataset("city", 1, 0);
  request.promise = {Unit::w_event, 7, Relation::add_remove};
  request.partition = Partition{Partition::By::day, {}, 2};
  const std::string today = to_body(value_of(make_dataset(request)));
  EXPECT_EQ(value_of(dataset_from_body(today)).partition->straddle, 2);
  std::string early = today;
  const std::string version = "\"analysis\":" + std::to_string(accounting::kAnalysisVersion);
  early.replace(early.find(version), version.size(), "\"analysis\":5");
  const Dataset read = value_of(dataset_from_body(early));
  EXPECT_EQ(read.partition->straddle, 7);
  EXPECT_TRUE(read.partition->widened);
  // Also where nobody could have asked for so many.
  EXPECT_TRUE(make_partition({Partition::By::day, {}, 1440, true}, {Unit::w_event, 1440, Relation::add_remove}));
  EXPECT_FALSE(make_partition({Partition::By::day, {}, 1440}, {Unit::w_event, 1440, Relation::add_remove}));
}

}  // namespace
}  // namespace chronoveil::ledger::testing
