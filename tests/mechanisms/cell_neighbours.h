// Two cells that differ in the values of one user, released again and again: how far apart what is published gets.
#pragma once

#include <algorithm>
#include <boost/math/distributions/beta.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "cell_setting.h"
#include "chronoveil/mechanisms/draws.h"
#include "noise/draws.h"

namespace chronoveil::mechanisms::testing {

// Every bound fails with probability below this; a comparison has some hundred of them.
inline constexpr double kBoundFails = 1e-10;

inline constexpr std::int64_t kReleases = kSanitized ? 20'000 : 40'000;

// A lower bound on the ε of the release: ln P(S) − ln Q(S) for the best of some sets S of outputs, P and Q bounded by
// exact binomial limits. Sets: the mean is at most, or at least, one of `levels`; with its interval narrower than one
// of `widths` or not looked at.
inline double attained_epsilon(const CellMechanism& row, const CellsPlan& plan, const MadeUpCell& one,
                               const MadeUpCell& other, const std::vector<double>& levels,
                               const std::vector<double>& widths, std::int64_t releases) {
  const std::size_t sets = 2 * levels.size() * (widths.size() + 1);
  std::vector<std::int64_t> counts[2];
  std::uint64_t seed = 11;
  for (const MadeUpCell* cell : {&one, &other}) {
    std::vector<std::int64_t>& hits = counts[cell == &one ? 0 : 1];
    hits.resize(sets);
    Draws draws = Draws::seeded(seed++);
    for (std::int64_t run = 0; run < releases; ++run) {
      const CellEstimate published = *row.measure(plan, cell->view(), draws);
      std::size_t set = 0;
      for (std::size_t w = 0; w <= widths.size(); ++w) {
        const bool counted = w == widths.size() || published.upper - published.lower < widths[w];
        for (const double level : levels) {
          hits[set++] += counted && published.mean <= level ? 1 : 0;
          hits[set++] += counted && published.mean >= level ? 1 : 0;
        }
      }
    }
  }
  double most = 0;
  for (std::size_t set = 0; set < sets; ++set) {
    for (const int which : {0, 1}) {
      const auto often = static_cast<double>(counts[which][set]), seldom = static_cast<double>(counts[1 - which][set]);
      const auto all = static_cast<double>(releases);
      if (often == 0 || seldom == all) continue;
      const double least = boost::math::quantile(boost::math::beta_distribution<>(often, all - often + 1), kBoundFails);
      const double greatest = boost::math::quantile(
          boost::math::complement(boost::math::beta_distribution<>(seldom + 1, all - seldom), kBoundFails));
      most = std::max(most, std::log(least / greatest));
    }
  }
  return most;
}

}  // namespace chronoveil::mechanisms::testing
