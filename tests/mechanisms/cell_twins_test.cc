// The mechanisms that are noise on sums draw what they plan and give away no more, and the checks that say so reject
// what is broken on purpose.
#include <gtest/gtest.h>

#include <random>

#include "cell_checks.h"

namespace chronoveil::mechanisms::testing {
namespace {

constexpr double kEpsilon = 0.8;

class NoisyCells : public ::testing::TestWithParam<NoisyCell> {
 protected:
  const NoisyCell& cell() const { return GetParam(); }
  CellsPlan plan(double delta = 0) const { return cell_plan(*cell().row, cell().request(kEpsilon, delta)); }
  CellsPlan gaussian() const {
    CellRequest request = cell().request(kEpsilon, 1e-6);
    request.parameters["noise"] = "gaussian";
    return cell_plan(*cell().row, request);
  }
};

INSTANTIATE_TEST_SUITE_P(Cells, NoisyCells, ::testing::ValuesIn(noisy_cells()),
                         [](const auto& parameter) { return parameter.param.name; });

// So little noise that half a step more or less would show.
CellsPlan coarse(const NoisyCell& cell, CellsPlan plan, std::size_t sum) {
  plan.noise_multiplier = 1.25 * cell.grid[sum] / cell.sensitivity[sum];
  return plan;
}

TEST_P(NoisyCells, WithoutNoiseTheSumsAreWhatTheyAreByHand) {
  for (const bool one : {true, false}) {
    Draws draws = Draws::replayed({.noise = std::vector<double>(2, 0.0), .kept = std::nullopt});
    const CellsPlan plan = this->plan();
    const MadeUpCell& made_up = one ? cell().one : cell().other;
    const Sums sums = cell().sums_of(plan, value_of(cell().row->measure(plan, made_up.view(), draws)));
    const Sums& truth = one ? cell().truth : cell().other_truth;
    ASSERT_EQ(sums.size(), truth.size());
    for (std::size_t i = 0; i < sums.size(); ++i) EXPECT_NEAR(sums[i], truth[i], 1e-12 * truth[i] + 1e-9);
  }
}

TEST_P(NoisyCells, TheNoiseFollowsThePlannedLaw) {
  for (const CellsPlan& plan : {plan(), gaussian()}) {
    for (std::size_t sum = 0; sum < cell().sensitivity.size(); ++sum) {
      EXPECT_EQ(cell_noise_complaints(cell(), *cell().row, plan, plan, sum, 1), "");
      // So little noise cannot be told apart in a quotient; and one law shows the rounding as well as two.
      if (cell().sensitivity.size() > 1 || plan.noise == NoiseKind::gaussian) continue;
      const CellsPlan little = coarse(cell(), plan, sum);
      EXPECT_EQ(cell_noise_complaints(cell(), *cell().row, little, little, sum, 2), "");
    }
  }
}

TEST_P(NoisyCells, NeighboursAreNoFurtherApartThanEpsilon) {
  const double attained = attained_loss(cell(), *cell().row, plan());
  EXPECT_LE(attained, kEpsilon);
  EXPECT_GT(attained, 0.85 * kEpsilon) << "these are the worst neighbours, and nearly all of epsilon is used";
}

TEST_P(NoisyCells, HalfOfTheNoiseIsRejected) {
  CellsPlan half = plan();
  half.noise_multiplier /= 2;
  EXPECT_GT(attained_loss(cell(), *cell().row, half), kEpsilon);
}

TEST_P(NoisyCells, NoiseThreePercentShortIsRejected) {
  CellsPlan weaker = plan();
  weaker.noise_multiplier *= 0.97;
  for (std::size_t sum = 0; sum < cell().sensitivity.size(); ++sum)
    EXPECT_NE(cell_noise_complaints(cell(), *cell().row, weaker, plan(), sum, 3), "");
}

// Noise in floating point, and the same rounded down to whole steps.
template <bool kOnGrid>
Result<CellEstimate> floating(const CellsPlan& plan, const bound::CellView& cell, Draws&) {
  static std::mt19937_64 random(5);
  std::exponential_distribution<double> magnitude(1 / (plan.noise_multiplier * 3 * kU));
  const double noise = (random() % 2 == 0 ? 1 : -1) * magnitude(random);
  double sum = kOnGrid ? std::floor(noise) : noise;
  for (const std::uint32_t value : cell.values) sum += value;
  return CellEstimate{CellEstimate::State::published, sum / static_cast<double>(cell.values.size())};
}

TEST(CellTwins, NoiseInFloatingPointIsRejected) {
  const NoisyCell cell = noisy_cells().front();
  CellMechanism twin = *cell.row;
  twin.measure = floating<false>;
  const CellsPlan plan = cell_plan(*cell.row, cell.request(kEpsilon));
  EXPECT_NE(cell_noise_complaints(cell, twin, plan, plan, 0, 3).find("off the grid"), std::string::npos);
}

TEST(CellTwins, RoundingDownIsRejected) {
  const NoisyCell cell = noisy_cells().front();
  CellMechanism twin = *cell.row;
  twin.measure = floating<true>;
  const CellsPlan plan = coarse(cell, cell_plan(*cell.row, cell.request(kEpsilon)), 0);
  EXPECT_NE(cell_noise_complaints(cell, twin, plan, plan, 0, 3), "");
}

TEST(CellTwins, SumAndCountHaveNoiseOfTheirOwn) {
  const NoisyCell cell = noisy_cells()[4];
  ASSERT_EQ(cell.name, "sum_over_count");
  const CellsPlan plan = cell_plan(*cell.row, cell.request(kEpsilon));
  Draws draws = Draws::seeded(6);
  double products = 0;
  constexpr int kPairs = 100'000;
  for (int i = 0; i < kPairs; ++i) {
    const Sums sums = cell.sums_of(plan, value_of(cell.row->measure(plan, cell.one.view(), draws)));
    products += (sums[0] - cell.truth[0]) / cell.scale(plan, 0) * (sums[1] - cell.truth[1]) / cell.scale(plan, 1);
  }
  // Each product has mean 0 and variance 2 · 2; noise used twice would have mean 2.
  EXPECT_LT(std::abs(products), 6 * 2 * std::sqrt(static_cast<double>(kPairs)));
}

// Two cells of a person together, in the city's own shares: all noisy sums of both at least those of `one`.
double attained_in_two_cells(const CellMechanism& row, const CellsPlan& plan, const std::vector<MadeUpCell>& one,
                             const std::vector<MadeUpCell>& other, const std::vector<int>& directions) {
  std::vector<double> truth;
  for (const MadeUpCell& cell : one) {
    Draws quiet = Draws::replayed({.noise = std::vector<double>{0}, .kept = std::nullopt});
    truth.push_back(value_of(row.measure(plan, cell.view(), quiet)).mean);
  }
  return attained_loss(
      [&](bool first, Draws& draws) {
        bool all = true;
        for (std::size_t i = 0; i < 2; ++i) {
          const double mean = value_of(row.measure(plan, (first ? one : other)[i].view(), draws)).mean;
          all = all && directions[i] * (mean - truth[i]) >= 0;
        }
        return all;
      },
      kNoisyReleases);
}

TEST(CellTwins, APersonInTwoCellsIsCoveredInBothAndNotInOneAlone) {
  const NoisyCell cell = noisy_cells()[2];
  CellRequest request = cell.request(kEpsilon);
  request.shape.places = 2;
  request.shape.max_cells = 2;
  CellsPlan plan = cell_plan(*cell.row, request);
  const std::vector<MadeUpCell> one(2, cell.one), other(2, cell.other);
  const double attained = attained_in_two_cells(*cell.row, plan, one, other, {1, 1});
  EXPECT_LE(attained, kEpsilon);
  EXPECT_GT(attained, 0.85 * kEpsilon);
  request.shape.max_cells = 1;  // as if a person were in one cell only
  plan = cell_plan(*cell.row, request);
  EXPECT_GT(attained_in_two_cells(*cell.row, plan, one, other, {1, 1}), kEpsilon);
}

// Somebody with the largest values here is replaced by somebody with the largest values there.
TEST(CellTwins, ARegisteredPersonWhoMovesIsCoveredInBothCells) {
  const MadeUpCell there{{3, 1}, {kUnitUpper, kUnitUpper, kUnitUpper, 70}, kUnitUpper}, gone{{1}, {70}, kUnitUpper};
  CellRequest request = noisy_cells().back().request(kEpsilon);
  request.shape.places = 2;
  request.parameters["absent"] = 0.0;
  const CellsPlan plan = cell_plan(registered_mean(), request);
  const auto attained = [&](const CellsPlan& tried) {
    return attained_in_two_cells(registered_mean(), tried, {there, gone}, {gone, there}, {1, -1});
  };
  const double covered = attained(plan);
  EXPECT_LE(covered, kEpsilon);
  EXPECT_GT(covered, 0.85 * kEpsilon);
  request.shape.places = 1;  // as if nobody could move
  CellsPlan still = cell_plan(registered_mean(), request);
  still.shape.places = 2;
  EXPECT_GT(attained(still), kEpsilon);
}

}  // namespace
}  // namespace chronoveil::mechanisms::testing
