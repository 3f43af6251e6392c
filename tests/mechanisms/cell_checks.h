// Puts the mechanisms that are nothing but noise on sums to the test: is the noise of the planned law, and how far
// apart do neighbours get? Each of them in a cell where divisor and sensitivity are known by hand.
#pragma once

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "cell_setting.h"
#include "chronoveil/mechanisms/cells/array_averaging.h"
#include "chronoveil/mechanisms/cells/baseline.h"
#include "chronoveil/mechanisms/cells/clip_mean.h"
#include "chronoveil/mechanisms/cells/registered_mean.h"
#include "chronoveil/mechanisms/cells/sum_over_count.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "noise/law_checker.h"
#include "setting.h"

namespace chronoveil::mechanisms::testing {

inline constexpr std::uint32_t kUnitUpper = 1 << 30;  // bounds of [0, 2^30]: a step is 1
inline constexpr double kU = kUnitUpper;

// The noisy sums of a cell in whole steps (records for a count), from what is published.
using Sums = std::vector<double>;

struct NoisyCell {
  std::string name;
  const CellMechanism* row;
  Parameters parameters;
  MadeUpCell one, other;           // neighbours as far apart as they get
  Sums truth, other_truth;         // their sums without noise
  Sums sensitivity;                // of each sum
  std::vector<double> grid = {1};  // of each sum, so fine that its scale is below 2^39 of it
  double divisor = 1;

  CellRequest request(double epsilon, double delta = 0) const {
    CellRequest request = cell_request(epsilon);
    request.shape.upper = kU;
    request.shape.max_records = 3;
    request.shape.registered = 10;
    request.delta = delta;
    request.parameters = parameters;
    return request;
  }
  double scale(const CellsPlan& plan, std::size_t sum) const { return plan.noise_multiplier * sensitivity[sum]; }

  Sums sums_of(const CellsPlan& plan, const CellEstimate& published) const {
    if (sensitivity.size() == 1) return {published.mean * divisor};
    // mean = s / n and upper = (s + h_s) / (n − h_n) say what s and n are.
    const double level = 1 - (1 - plan.level) / 2;
    const double around_sum = noise_half_width(plan.noise, scale(plan, 0), level);
    const double around_count = noise_half_width(plan.noise, scale(plan, 1), level);
    const double count = (around_sum + published.upper * around_count) / (published.upper - published.mean);
    return {published.mean * count, count};
  }
};

// So many times three quarters of U; enough that no noise of a test brings a sum near zero.
inline MadeUpCell crowd(std::uint32_t users) {
  return {std::vector<std::uint32_t>(users, 3), std::vector<std::uint32_t>(3 * users, kUnitUpper / 4 * 3), kUnitUpper};
}

// Users with 3, 2 and 1 records, the first of whom has all 0 or all U.
inline std::vector<NoisyCell> noisy_cells() {
  const MadeUpCell one{{3, 2, 1}, {kUnitUpper, kUnitUpper, kUnitUpper, 5, 8, 70}, kUnitUpper};
  const MadeUpCell other{{3, 2, 1}, {0, 0, 0, 5, 8, 70}, kUnitUpper};
  const MadeUpCell without = crowd(199);
  MadeUpCell added = without;
  added.counts.push_back(3);
  added.values.insert(added.values.end(), 3, kUnitUpper);
  const double crowd_sum = 199 * 3 * 0.75 * kU;
  const Value wrap = "wrap_around", best = "best_fit";
  return {
      {"baseline", &baseline(), {}, one, other, {3 * kU + 83}, {83}, {3 * kU}, {1}, 6},
      {"clip_mean", &clip_mean(), {{"m_ub", 2.0}}, one, other, {2 * kU + 83}, {83}, {2 * kU}, {1}, 5},
      // Arrays of 3 and of 2 + 1: floor(83 / 3 + 1/2) = 28.
      {"best_fit", &array_averaging(), {{"m_ub", 3.0}, {"grouping", best}}, one, other, {kU + 28}, {28}, {kU}, {1}, 2},
      // Five records that count, two full arrays of two: the last user's falls away.
      {"wrap_around",
       &array_averaging(),
       {{"m_ub", 2.0}, {"grouping", wrap}},
       one,
       other,
       {2 * kU + 13},
       {13},
       {2 * kU},
       {1},
       4},
      {"sum_over_count",
       &sum_over_count(),
       {},
       added,
       without,
       {crowd_sum + 3 * kU, 600},
       {crowd_sum, 597},
       {3 * kU, 3},
       {1, 0x1p-20},
       1},
      // Means of U (or 0), 7 and 70, and seven people who are not there.
      {"registered_mean", &registered_mean(), {{"absent", 100.0}}, one, other, {kU + 777}, {777}, {kU}, {1}, 10},
  };
}

// Enough pairs of neighbours, too, for each of the 64 cells of a checker's table.
inline constexpr std::int64_t kCellResiduals = 150'000;

// Empty when the noise of sum number `sum` is as `planned`, else what is wrong. Rejects right noise with probability
// below 1e-8. `drawn` is the plan that is really run.
inline std::string cell_noise_complaints(const NoisyCell& cell, const CellMechanism& row, const CellsPlan& drawn,
                                         const CellsPlan& planned, std::size_t sum, std::uint64_t seed) {
  Draws draws = Draws::seeded(seed);
  std::string off_grid;
  bool turn = false;  // both neighbours: noise that depends on the data shows in one of them
  const noise::Fill fill = [&](std::span<std::int64_t> out) {
    for (std::int64_t& residual : out) {
      turn = !turn;
      const CellEstimate published = value_of(row.measure(drawn, (turn ? cell.one : cell.other).view(), draws));
      const double truth = (turn ? cell.truth : cell.other_truth)[sum];
      const double steps = (cell.sums_of(drawn, published)[sum] - truth) / cell.grid[sum];
      const double nearest = std::floor(steps + 0.5);
      if (!(std::abs(steps - nearest) < 0.05)) off_grid = "off the grid, ";
      residual = static_cast<std::int64_t>(std::clamp(nearest, -0x1p60, 0x1p60));
    }
  };
  const noise::Law law =
      planned.noise == NoiseKind::laplace ? noise::Law::rounded_laplace : noise::Law::rounded_gaussian;
  noise::LawChecker checker(law, cell.scale(planned, sum) / cell.grid[sum]);
  const std::string wrong = checker.complaints(fill, kCellResiduals);
  return off_grid + wrong;
}

// A lower bound on the ε that a release has in truth: ln P(S) − ln Q(S), by exact binomial limits that hold both with
// probability at least 1 − 2e-8. `is_in_set` makes a release of one of two neighbours and looks at it.
inline double attained_loss(const std::function<bool(bool one, Draws&)>& is_in_set, std::int64_t releases) {
  double inside[2] = {0, 0};
  for (const bool one : {false, true}) {
    Draws draws = Draws::seeded(one ? 21 : 22);
    for (std::int64_t i = 0; i < releases; ++i) inside[one ? 1 : 0] += is_in_set(one, draws) ? 1 : 0;
  }
  using Beta = boost::math::beta_distribution<>;
  constexpr double kFails = 1e-8;
  const auto all = static_cast<double>(releases);
  const double least = boost::math::quantile(Beta(inside[1], all - inside[1] + 1), kFails);
  const double greatest = boost::math::quantile(boost::math::complement(Beta(inside[0] + 1, all - inside[0]), kFails));
  return std::log(least / greatest);
}

inline constexpr std::int64_t kNoisyReleases = 100'000;

// The set where Laplace noise gives the most away: every sum is at least what it would be for `one`.
inline double attained_loss(const NoisyCell& cell, const CellMechanism& row, const CellsPlan& plan) {
  return attained_loss(
      [&](bool one, Draws& draws) {
        const CellEstimate published = value_of(row.measure(plan, (one ? cell.one : cell.other).view(), draws));
        const Sums sums = cell.sums_of(plan, published);
        for (std::size_t i = 0; i < sums.size(); ++i)
          if (!(sums[i] >= cell.truth[i])) return false;
        return true;
      },
      kNoisyReleases);
}

}  // namespace chronoveil::mechanisms::testing
