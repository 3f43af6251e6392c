#include "ye2023/tasks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <utility>

namespace chronoveil::ye2023 {

double moving_average_error(const std::vector<double>& original, const std::vector<double>& released, std::size_t r) {
  const std::size_t averages = original.size() - r + 1;
  double squares = 0;
  for (std::size_t i = 0; i < averages; ++i) {
    double off = 0;  // summed afresh, so that no rounding error is carried along the series
    for (std::size_t j = i; j < i + r; ++j) off += original[j] - released[j];
    squares += off / static_cast<double>(r) * (off / static_cast<double>(r));
  }
  return std::sqrt(squares) / static_cast<double>(averages);
}

double count_error(const std::vector<bool>& original, const std::vector<double>& released) {
  double squares = 0, off = 0;
  for (std::size_t i = 0; i < original.size(); ++i) {
    off += released[i] - (original[i] ? 1 : 0);
    squares += off * off;
  }
  return std::sqrt(squares) / static_cast<double>(original.size());
}

std::vector<double> distances(const std::vector<Trajectory>& all) {
  constexpr double kDegree = 6371.0 * std::numbers::pi / 180;  // km of latitude
  const double narrowing = std::cos((kSouth + kNorth) / 2 * std::numbers::pi / 180);
  const std::size_t n = all.size();
  std::vector<double> matrix(n * n);
  for (std::size_t a = 0; a < n; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      double sum = 0;
      for (std::size_t step = 0; step < all[a].size(); ++step) {
        const double x = (all[a][step].longitude - all[b][step].longitude) * narrowing;
        const double y = all[a][step].latitude - all[b][step].latitude;
        sum += std::sqrt(x * x + y * y);
      }
      matrix[a * n + b] = matrix[b * n + a] = kDegree * sum / static_cast<double>(all[a].size());
    }
  return matrix;
}

namespace {

std::size_t number_of_objects(const std::vector<double>& distances) {
  return static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(distances.size()))));
}

std::vector<std::size_t> first_medoids(const std::vector<double>& d, std::size_t n, std::size_t groups) {
  std::vector<double> weight(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = d.begin() + static_cast<std::ptrdiff_t>(i * n);
    const double sum = std::accumulate(row, row + static_cast<std::ptrdiff_t>(n), 0.0);
    if (sum > 0)
      for (std::size_t j = 0; j < n; ++j) weight[j] += d[i * n + j] / sum;
  }
  std::vector<std::size_t> objects(n);
  std::iota(objects.begin(), objects.end(), std::size_t{0});
  std::ranges::stable_sort(objects, {}, [&](std::size_t j) { return weight[j]; });
  objects.resize(groups);
  return objects;
}

}  // namespace

std::vector<std::size_t> medoid_groups(const std::vector<double>& d, std::size_t groups) {
  const std::size_t n = number_of_objects(d);
  std::vector<std::size_t> medoids = first_medoids(d, n, groups), group(n);
  // The sum of all distances to medoids falls with every round that changes something, so this ends.
  for (double before = std::numeric_limits<double>::infinity();;) {
    double total = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto nearest = std::ranges::min_element(medoids, {}, [&](std::size_t m) { return d[i * n + m]; });
      group[i] = static_cast<std::size_t>(nearest - medoids.begin());
      total += d[i * n + *nearest];
    }
    if (!(total < before)) return group;
    before = total;
    std::vector<double> least(groups, std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < n; ++j)
        if (group[j] == group[i]) sum += d[i * n + j];
      if (sum < least[group[i]]) {
        least[group[i]] = sum;
        medoids[group[i]] = i;
      }
    }
  }
}

double mutual_information(const std::vector<std::size_t>& a, const std::vector<std::size_t>& b) {
  const auto n = static_cast<double>(a.size());
  std::map<std::size_t, double> in_a, in_b;
  std::map<std::pair<std::size_t, std::size_t>, double> in_both;
  for (std::size_t i = 0; i < a.size(); ++i) {
    in_a[a[i]] += 1 / n;
    in_b[b[i]] += 1 / n;
    in_both[{a[i], b[i]}] += 1 / n;
  }
  const auto entropy = [](const auto& shares) {
    double sum = 0;
    for (const auto& [key, share] : shares) sum -= share * std::log(share);
    return sum;
  };
  const double apart = entropy(in_a) + entropy(in_b);
  if (in_a.size() == 1 && in_b.size() == 1) return 1;
  return std::clamp(2 * (apart - entropy(in_both)) / apart, 0.0, 1.0);
}

}  // namespace chronoveil::ye2023
