// A made-up city: a field of means over hexagons and hours, measured with noise that differs from cell to cell. Some
// cells are missing.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <random>
#include <vector>

#include "chronoveil/post/cells/cells.h"

namespace chronoveil::post::testing {

struct City {
  // Every `missing`-th cell or so is missing; 0: none.
  City(Eigen::Index places, Eigen::Index steps, int missing = 0, double noise = 1)
      : truth(places, steps), deviations(places, steps) {
    const Eigen::Index columns = static_cast<Eigen::Index>(std::ceil(std::sqrt(static_cast<double>(places))));
    for (Eigen::Index p = 0; p < places; ++p) {
      const Eigen::Index row = p / columns;
      middles.push_back(
          {static_cast<double>(p % columns) + 0.5 * static_cast<double>(row % 2), 0.866 * static_cast<double>(row)});
      for (Eigen::Index t = 0; t < steps; ++t) {
        const double x = middles.back().x, y = middles.back().y, hour = static_cast<double>(t);
        truth(p, t) = 30 + 3 * std::sin(0.7 * x) + 3 * std::cos(0.6 * y) + 4 * std::sin(hour * 0.2618) +
                      0.3 * std::sin(5.0 * x * hour);
        deviations(p, t) = noise * (0.5 + static_cast<double>((7 * p + 3 * t) % 5) / 2);
        if (missing > 0 && (5 * p + 2 * t) % missing == 1) deviations(p, t) = 0;
      }
    }
  }

  // Laplace noise; 0 where there is no cell.
  Eigen::ArrayXXd measured(std::mt19937_64& random) const {
    std::exponential_distribution<double> one(std::sqrt(2.0));
    return Eigen::ArrayXXd::NullaryExpr(truth.rows(), truth.cols(), [&](Eigen::Index p, Eigen::Index t) {
      const double noise = one(random) - one(random);
      return deviations(p, t) > 0 ? truth(p, t) + deviations(p, t) * noise : 0.0;
    });
  }

  CellsSpec spec() const {
    return {.places = truth.rows(), .steps = truth.cols(), .middles = middles, .season = season, .fourth_moment = 6};
  }

  Eigen::ArrayXXd truth, deviations;
  std::vector<cells::Middle> middles;
  std::int64_t season = 0;
};

}  // namespace chronoveil::post::testing
