// The simplex method of Nelder and Mead, for a few parameters and a function without derivatives.
#pragma once

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace chronoveil::forecasting {

// The best point found from `start`, with edges of `edge` in each direction, within about `evaluations` calls of
// `value`, which may be infinite but not NaN. Reflection 1, expansion 2, contraction and shrinkage 1/2 [NM65].
template <class Value>
std::vector<double> nelder_mead(Value&& value, const std::vector<double>& start, double edge, int evaluations) {
  const std::size_t n = start.size();
  std::vector<std::vector<double>> points(n + 1, start);
  for (std::size_t i = 0; i < n; ++i) points[i + 1][i] += edge;
  std::vector<double> values;
  for (const std::vector<double>& point : points) values.push_back(value(point));
  std::vector<std::size_t> order(n + 1);
  for (int used = static_cast<int>(n) + 1; used < evaluations;) {
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    const std::size_t best = order.front(), worst = order.back(), second = order[n == 0 ? 0 : n - 1];
    // Converged.
    if (!(values[worst] - values[best] > 1e-8 * (1 + std::abs(values[best])))) break;
    std::vector<double> centre(n);
    for (const std::size_t i : order)
      for (std::size_t k = 0; k < n && i != worst; ++k) centre[k] += points[i][k] / static_cast<double>(n);
    const auto along = [&](double t) {
      std::vector<double> point(n);
      for (std::size_t k = 0; k < n; ++k) point[k] = centre[k] + t * (points[worst][k] - centre[k]);
      return point;
    };
    const auto take = [&](std::vector<double> point, double found) {
      points[worst] = std::move(point);
      values[worst] = found;
    };
    std::vector<double> reflected = along(-1);
    const double mirrored = value(reflected);
    ++used;
    if (mirrored < values[best]) {
      std::vector<double> expanded = along(-2);
      const double further = value(expanded);
      ++used;
      further < mirrored ? take(std::move(expanded), further) : take(std::move(reflected), mirrored);
    } else if (mirrored < values[second]) {
      take(std::move(reflected), mirrored);
    } else {
      std::vector<double> contracted = along(mirrored < values[worst] ? -0.5 : 0.5);
      const double nearer = value(contracted);
      ++used;
      if (nearer < std::min(mirrored, values[worst])) {
        take(std::move(contracted), nearer);
      } else {
        for (std::size_t i = 0; i <= n; ++i) {
          if (i == best) continue;
          for (std::size_t k = 0; k < n; ++k) points[i][k] = 0.5 * (points[i][k] + points[best][k]);
          values[i] = value(points[i]);
          ++used;
        }
      }
    }
  }
  return points[static_cast<std::size_t>(std::min_element(values.begin(), values.end()) - values.begin())];
}

}  // namespace chronoveil::forecasting
