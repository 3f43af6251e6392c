// The sensitivity that each mechanism uses is the largest change that any replacement of one user makes, found by
// trying them all on small cells.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cell_setting.h"
#include "chronoveil/mechanisms/cells/array_averaging.h"
#include "chronoveil/mechanisms/cells/baseline.h"
#include "chronoveil/mechanisms/cells/clip_mean.h"
#include "chronoveil/mechanisms/cells/registered_mean.h"
#include "chronoveil/mechanisms/cells/sum_over_count.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {
namespace {

constexpr std::uint32_t kUpper = 1 << 30;  // a step is 1 in these bounds
constexpr std::uint32_t kLevels[] = {0, 333'333'333, kUpper};

CellRequest unit_request(const Parameters& parameters = {}) {
  CellRequest request = cell_request(1);
  request.shape.upper = kUpper;
  request.parameters = parameters;
  return request;
}

Parameters with_m_ub(double m_ub, Parameters others = {}) {
  others["m_ub"] = m_ub;
  return others;
}

double without_noise(const CellMechanism& row, const CellsPlan& plan, const MadeUpCell& cell) {
  Draws draws = Draws::replayed({.noise = std::vector<double>(2, 0.0), .kept = std::nullopt});
  return value_of(row.measure(plan, cell.view(), draws)).mean;
}

std::size_t three_to(std::size_t n) { return n == 0 ? 1 : 3 * three_to(n - 1); }

// So many values among kLevels, the digits of `code`.
std::vector<std::uint32_t> values_of(std::size_t code, std::size_t records) {
  std::vector<std::uint32_t> values;
  for (; values.size() < records; code /= 3) values.push_back(kLevels[code % 3]);
  return values;
}

// The largest change of the mean when one user's values are replaced, all values being among kLevels.
double worst_replacement(const CellMechanism& row, const CellsPlan& plan, const std::vector<std::uint32_t>& counts) {
  const std::size_t records = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  std::vector<double> means(three_to(records));
  for (std::size_t code = 0; code < means.size(); ++code)
    means[code] = without_noise(row, plan, {counts, values_of(code, records), kUpper});
  double worst = 0;
  std::size_t first = 0;
  for (const std::uint32_t count : counts) {
    const std::size_t own = three_to(count), below = three_to(first);
    for (std::size_t code = 0; code < means.size(); ++code) {
      if (code / below % own != 0) continue;  // one for each choice of everybody else's values
      double least = means[code], greatest = means[code];
      for (std::size_t other = 1; other < own; ++other) {
        least = std::min(least, means[code + other * below]);
        greatest = std::max(greatest, means[code + other * below]);
      }
      worst = std::max(worst, greatest - least);
    }
    first += count;
  }
  return worst;
}

// The worst change over the sensitivity that is used.
double tightness(const CellMechanism& row, const Parameters& parameters, const std::vector<std::uint32_t>& counts) {
  const CellsPlan plan = cell_plan(row, unit_request(parameters));
  return worst_replacement(row, plan, counts) / value_of(row.look(plan, counts)).sensitivity;
}

const std::vector<std::vector<std::uint32_t>> kCells = {{1},       {4},          {1, 1},       {2, 1},
                                                        {3, 3},    {2, 2, 2},    {5, 1, 1},    {3, 2, 1},
                                                        {4, 2, 1}, {2, 2, 1, 1}, {3, 1, 1, 1}, {3, 2, 2}};

// Means are quotients, so the last bits of a double are all that may differ.
constexpr double kExact = 1e-14;

TEST(CellSensitivity, OfTheBaselineIsTheWorstReplacement) {
  for (const auto& counts : kCells) EXPECT_NEAR(tightness(baseline(), {}, counts), 1, kExact);
}

TEST(CellSensitivity, OfClippedMeansIsTheWorstReplacementForEveryBound) {
  for (const auto& counts : kCells) {
    EXPECT_NEAR(tightness(clip_mean(), {}, counts), 1, kExact);
    EXPECT_NEAR(tightness(clip_mean(), {{"m_ub", std::string("median")}}, counts), 1, kExact);
    for (int m_ub = 1; m_ub <= 6; ++m_ub) EXPECT_NEAR(tightness(clip_mean(), with_m_ub(m_ub), counts), 1, kExact);
  }
}

TEST(CellSensitivity, OfArrayAveragingIsTheWorstReplacementForEveryBoundThatSomebodyReaches) {
  for (const std::string grouping : {"best_fit", "wrap_around"}) {
    const Parameters grouped{{"grouping", grouping}};
    for (const auto& counts : kCells) {
      SCOPED_TRACE(grouping + " of " + ::testing::PrintToString(counts));
      EXPECT_NEAR(tightness(array_averaging(), grouped, counts), 1, kExact);
      for (std::uint32_t m_ub = 1; m_ub <= counts.front(); ++m_ub)
        EXPECT_NEAR(tightness(array_averaging(), with_m_ub(m_ub, grouped), counts), 1, kExact);
    }
  }
}

TEST(CellSensitivity, OfArrayAveragingIsNeverExceededWhereTheBoundIsBeyondEverybody) {
  for (const auto& counts : kCells) {
    const double m_ub = counts.front() + 1;
    EXPECT_LE(tightness(array_averaging(), with_m_ub(m_ub), counts), 1 + kExact);
    const std::size_t records = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    if (static_cast<double>(records) < m_ub) continue;  // no full array
    EXPECT_LE(tightness(array_averaging(), with_m_ub(m_ub, {{"grouping", std::string("wrap_around")}}), counts),
              1 + kExact);
  }
}

// What is drawn is no less and no more than what the sensitivity asks for.
TEST(CellSensitivity, IsThatOfTheNoiseThatIsDrawn) {
  for (const CellMechanism* row : {&baseline(), &clip_mean(), &array_averaging()}) {
    for (const auto& counts : kCells) {
      for (int m_ub = 1; m_ub <= 6; ++m_ub) {
        const CellsPlan plan = cell_plan(*row, unit_request(row == &baseline() ? Parameters{} : with_m_ub(m_ub)));
        const std::size_t records = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
        const MadeUpCell cell{counts, std::vector<std::uint32_t>(records, 7), kUpper};
        Draws draws = Draws::seeded(1);
        const CellEstimate drawn = value_of(row->measure(plan, cell.view(), draws));
        const double half_width = noise_half_width(plan.noise, value_of(row->look(plan, counts)).scale, plan.level);
        EXPECT_NEAR((drawn.upper - drawn.lower) / 2 / half_width, 1, 1e-12);
      }
    }
  }
}

TEST(CellSensitivity, OfWrapAroundAsPublishedIsTwiceWhatIsNeeded) {
  CellRequest request = unit_request({{"grouping", std::string("wrap_around")}});
  request.analysis = accounting::Analysis::published;
  const CellsPlan plan = cell_plan(array_averaging(), request);
  for (const auto& counts : kCells) {
    const CellFacts facts = value_of(array_averaging().look(plan, counts));
    EXPECT_DOUBLE_EQ(facts.sensitivity, 2.0 * kUpper / static_cast<double>(facts.arrays));
    EXPECT_NEAR(2 * worst_replacement(array_averaging(), plan, counts), facts.sensitivity, kExact * kUpper);
  }
}

// Lays users end to end, as wrap_around does, but keeps the last array though it is not full.
Result<CellEstimate> split_over_arrays(const CellsPlan& plan, const bound::CellView& cell, Draws&) {
  const auto m_ub = static_cast<std::size_t>(*auto_or_number(plan.parameters, "m_ub"));
  double sum = 0, arrays = 0;
  for (std::size_t first = 0; first < cell.values.size(); first += m_ub, ++arrays) {
    const auto array = cell.values.subspan(first, std::min(m_ub, cell.values.size() - first));
    sum += std::accumulate(array.begin(), array.end(), 0.0) / static_cast<double>(array.size());
  }
  return CellEstimate{CellEstimate::State::published, sum / arrays};
}

TEST(CellSensitivity, AUserInTwoArraysIsFound) {
  CellMechanism twin = array_averaging();
  twin.measure = split_over_arrays;
  EXPECT_GT(tightness(twin, with_m_ub(3), {3, 2, 2}), 1.3);
}

// Divides by the records that should count, and adds up all of them.
Result<CellEstimate> not_cut(const CellsPlan& plan, const bound::CellView& cell, Draws&) {
  double kept = 0;
  for (const std::uint32_t count : cell.counts)
    kept += std::min<double>(count, *auto_or_number(plan.parameters, "m_ub"));
  return CellEstimate{CellEstimate::State::published,
                      std::accumulate(cell.values.begin(), cell.values.end(), 0.0) / kept};
}

TEST(CellSensitivity, ABoundThatIsNotAppliedIsFound) {
  CellMechanism twin = clip_mean();
  twin.measure = not_cut;
  EXPECT_NEAR(tightness(twin, with_m_ub(2), {4, 2, 1}), 2, kExact);
}

// The noisy sum and the noisy count of a cell, from tapes that turn the other of both into 1 record or 2^30.
struct SumAndCount {
  double sum, count;
};
SumAndCount sum_and_count(const CellsPlan& plan, const MadeUpCell& cell) {
  const auto mean = [&](double sum_noise, double count_noise) {
    Draws draws = Draws::replayed({.noise = std::vector<double>{sum_noise, count_noise}, .kept = std::nullopt});
    return value_of(sum_over_count().measure(plan, cell.view(), draws)).mean;
  };
  const double sum = mean(0, 1 - static_cast<double>(cell.values.size()));
  return {sum, kUpper / mean(kUpper - sum, 0)};
}

// Every cell with at most three users and three records each, and the same without one of the users.
TEST(CellSensitivity, OfSumAndCountIsTheWorstAdditionOrRemoval) {
  for (const std::int64_t m_ub : {1, 2, 3}) {
    CellRequest request = unit_request();
    request.shape.max_records = m_ub;
    const CellsPlan plan = cell_plan(sum_over_count(), request);
    double worst_sum = 0, worst_count = 0;
    std::vector<MadeUpCell> users;  // all that one user can be
    for (std::uint32_t records = 1; records <= m_ub; ++records)
      for (std::size_t code = 0; code < three_to(records); ++code)
        users.push_back({{records}, values_of(code, records), kUpper});
    for (const MadeUpCell& rest : users) {
      for (const MadeUpCell& added : users) {
        MadeUpCell both = rest.counts[0] >= added.counts[0] ? rest : added;
        const MadeUpCell& fewer = rest.counts[0] >= added.counts[0] ? added : rest;
        both.counts.push_back(fewer.counts[0]);
        both.values.insert(both.values.end(), fewer.values.begin(), fewer.values.end());
        const SumAndCount with = sum_and_count(plan, both), without = sum_and_count(plan, rest);
        worst_sum = std::max(worst_sum, std::abs(with.sum - without.sum));
        worst_count = std::max(worst_count, std::abs(with.count - without.count));
      }
    }
    const std::vector<std::uint32_t> counts = {3, 2, 1};
    const double records = static_cast<double>(std::min<std::int64_t>(3, m_ub) + std::min<std::int64_t>(2, m_ub) + 1);
    EXPECT_NEAR(worst_sum / (value_of(sum_over_count().look(plan, counts)).sensitivity * records), 1, kExact);
    EXPECT_NEAR(worst_count, static_cast<double>(m_ub), 1e-9);
  }
}

// All that one person can be in a city: means of some cells, at most c of them, nothing in the others.
using Person = std::vector<std::vector<std::uint32_t>>;  // values by cell

std::vector<Person> all_people(std::size_t cells, std::int64_t most) {
  const std::vector<std::vector<std::uint32_t>> choices = {
      {}, {0}, {kLevels[1]}, {kUpper}, {0, kUpper}, {kUpper, kUpper}, {kUpper, kUpper, kUpper - 1}};
  std::vector<Person> people = {Person(cells)};
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::vector<Person> before = people;
    for (const Person& person : before)
      for (std::size_t i = 1; i < choices.size(); ++i) {
        people.push_back(person);
        people.back()[cell] = choices[i];
      }
  }
  std::erase_if(people, [&](const Person& person) {
    return std::count_if(person.begin(), person.end(), [](const auto& values) { return !values.empty(); }) > most;
  });
  return people;
}

// How far a person moves the noise-free sums of all cells when replaced by another, in sensitivities of one: L1 and L2.
struct Moved {
  double l1 = 0, l2 = 0;
};
Moved worst_of_people(const CellsPlan& plan) {
  const auto cells = static_cast<std::size_t>(plan.shape.cells());
  std::vector<std::vector<double>> sums;
  for (const Person& person : all_people(cells, plan.shape.max_cells)) {
    sums.emplace_back();
    for (const auto& values : person) {
      MadeUpCell cell{{}, values, kUpper};  // and somebody else
      if (!values.empty()) cell.counts.push_back(static_cast<std::uint32_t>(values.size()));
      cell.counts.push_back(1);
      cell.values.push_back(77);
      sums.back().push_back(without_noise(registered_mean(), plan, cell));
    }
  }
  const double sensitivity = value_of(registered_mean().look(plan, std::vector<std::uint32_t>{2, 1})).sensitivity;
  Moved worst;
  for (const auto& one : sums)
    for (const auto& other : sums) {
      double l1 = 0, squares = 0;
      for (std::size_t i = 0; i < cells; ++i) {
        const double moved = std::abs(one[i] - other[i]) / sensitivity;
        l1 += moved;
        squares += moved * moved;
      }
      worst.l1 = std::max(worst.l1, l1);
      worst.l2 = std::max(worst.l2, std::sqrt(squares));
    }
  return worst;
}

TEST(CellSensitivity, OfRegisteredMeansIsTheWorstReplacementInACellAndInACity) {
  struct City {
    std::int64_t cells, most;
  };
  for (const City& city : {City{1, 1}, City{2, 1}, City{2, 2}, City{3, 1}, City{3, 2}}) {
    for (const Value& absent : {Value("auto"), Value(0.0), Value(0.25 * kUpper), Value(1.0 * kUpper)}) {
      CellRequest request = unit_request({{"absent", absent}});
      request.shape.places = city.cells;
      request.shape.max_cells = city.most;
      request.shape.registered = 7;
      request.delta = 1e-6;
      request.parameters["noise"] = "laplace";
      const CellsPlan laplace = cell_plan(registered_mean(), request);
      request.parameters["noise"] = "gaussian";
      const CellsPlan gaussian = cell_plan(registered_mean(), request);
      const Moved worst = worst_of_people(laplace);
      SCOPED_TRACE(std::to_string(city.cells) + " cells, " + std::to_string(city.most) + " of a person");
      EXPECT_NEAR(laplace.influence, worst.l1, 1e-13 * worst.l1);
      EXPECT_NEAR(gaussian.influence, worst.l2, 1e-13 * worst.l2);
      EXPECT_GE(laplace.influence, worst.l1);
      EXPECT_GE(gaussian.influence, worst.l2);
      EXPECT_GE(laplace.noise_multiplier, worst.l1);  // ε is 1
    }
  }
}

// So much noise that sums are rounded to many steps: what rounding adds to a change of less than U is in the plan.
TEST(CellSensitivity, OfRegisteredMeansCountsWhatACoarserGridAdds) {
  CellRequest request = unit_request({{"absent", Value(kUpper * 0.5 + 1)}});
  request.shape.places = 2;
  request.shape.registered = 2;
  request.epsilon = 1e-8;
  const CellsPlan plan = cell_plan(registered_mean(), request);
  EXPECT_GT(plan.influence, 1 + 1e-4) << "two halves of U and a step each are 2^-11 of it more on a grid of 2^18 steps";
  EXPECT_GE(plan.influence, worst_of_people(plan).l1);
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
