// The engine's building blocks, put together by hand: for pairs that are no event, and for twins that are wrong.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "accounting/oracle.h"
#include "chronoveil/accounting/grid/composition.h"
#include "chronoveil/accounting/grid/positive_loss.h"

namespace chronoveil::accounting {

// The losses above 0 of a pair on a lattice, whose spacing is the step.
inline PositiveLoss positive_half(const oracle::LatticeLoss& loss, std::size_t bins) {
  PositiveLoss half{
      .step = static_cast<double>(loss.spacing), .p = std::vector<double>(bins), .q = std::vector<double>(bins)};
  half.zero = 1;
  for (std::size_t k = 0; k < loss.mass.size(); ++k) {
    const long index = loss.first + static_cast<long>(k);
    if (index <= 0) continue;
    const auto mass = static_cast<double>(loss.mass[k]);
    const auto bin = static_cast<std::size_t>(index - 1);
    half.p[bin] = mass;
    half.q[bin] = mass * std::exp(-half.step);
    half.zero -= mass * (1 + std::exp(-half.step * static_cast<double>(index)));
  }
  half.zero = std::max(0.0, half.zero);
  return half;
}

inline SaddlePoint saddle_of(const GridLoss& grid, std::int64_t count) {
  Sketch sketch;
  sketch.count = count;
  for (std::size_t k = 0; k < grid.mass.size(); ++k) {
    if (!(grid.mass[k] > 0)) continue;
    sketch.mass.push_back(grid.mass[k]);
    sketch.loss.push_back(grid.step * static_cast<double>(grid.first + static_cast<long>(k)));
  }
  return SaddlePoint({sketch});
}

inline double composed_epsilon(const GridLoss& grid, std::int64_t count, Side side, double delta) {
  const SaddlePoint saddle = saddle_of(grid, count);
  const auto epsilon = Composition({{grid, count}}, side, saddle).epsilon_at(delta);
  EXPECT_TRUE(epsilon) << (epsilon ? "" : epsilon.error().text());
  return epsilon ? std::max(0.0, *epsilon) : -1;
}

}  // namespace chronoveil::accounting
