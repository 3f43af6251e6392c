#include "chronoveil/post/cells/reach.h"

#include <algorithm>
#include <cmath>

namespace chronoveil::post::cells {

using Eigen::ArrayXXd;
using Eigen::Index;

namespace {

constexpr double kUnseen = 0x1p-40;  // weights below this change nothing that could be seen

double weight_at(double squared_distance, double width) { return std::exp(-squared_distance / (2 * width * width)); }

double squared_distance(const Middle& a, const Middle& b) {
  return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y);
}

// Of the box around all of them, which is enough to end a list of widths.
double greatest_distance(const std::vector<Middle>& middles) {
  const auto [west, east] = std::ranges::minmax(middles, {}, &Middle::x);
  const auto [south, north] = std::ranges::minmax(middles, {}, &Middle::y);
  return std::sqrt((east.x - west.x) * (east.x - west.x) + (north.y - south.y) * (north.y - south.y));
}

// By lag, from 0, as far as it can be seen, and no further than `longest`.
std::vector<double> weights_by_lag(double width, Index longest) {
  std::vector<double> weights{1};
  for (Index lag = 1; width > 0 && lag <= longest; ++lag) {
    const double weight = weight_at(static_cast<double>(lag * lag), width);
    if (weight < kUnseen) break;
    weights.push_back(weight);
  }
  return weights;
}

}  // namespace

bool near_places_fit(Index places, Index steps) {
  const auto p = static_cast<double>(places);
  return places <= kMostNearPlaces && p * p * static_cast<double>(steps) <= kMostNearWork;
}

PlaceReach::PlaceReach(Index places, Index steps, const std::vector<Middle>& middles) : middles_(middles) {
  if (middles.empty() || !near_places_fit(places, steps)) return;
  const double greatest = greatest_distance(middles);
  for (double width = 0.5; width < greatest; width *= 2) widths_.push_back(width);
}

ArrayXXd PlaceReach::sums(Index reach, const ArrayXXd& cells) const {
  if (reach == 0) return cells;
  if (reach == count() - 1) return cells.colwise().sum().replicate(cells.rows(), 1);
  const double width = widths_[static_cast<std::size_t>(reach - 1)];
  Eigen::MatrixXd kernel(cells.rows(), cells.rows());
  for (Index p = 0; p < cells.rows(); ++p)
    for (Index q = 0; q <= p; ++q)
      kernel(p, q) = kernel(q, p) = weight_at(
          squared_distance(middles_[static_cast<std::size_t>(p)], middles_[static_cast<std::size_t>(q)]), width);
  return (kernel * cells.matrix()).array();
}

StepReach::StepReach(Index steps, Index season) : season_(season) {
  kernels_.push_back({.weights = {1}});
  for (double width = 0.5; width < static_cast<double>(steps) / 4; width *= 2)
    kernels_.push_back({.weights = weights_by_lag(width, steps - 1)});
  kernels_.push_back({.all = true});
  if (season < 2 || 2 * season > steps) return;
  kernels_.push_back({.seasonal = true, .weights = {1}});
  for (double width = 1; width <= static_cast<double>(season) / 8; width *= 2)
    kernels_.push_back({.seasonal = true, .weights = weights_by_lag(width, (season - 1) / 2)});
}

ArrayXXd StepReach::sums(Index reach, const ArrayXXd& cells) const {
  const Kernel& kernel = kernels_[static_cast<std::size_t>(reach)];
  if (kernel.all) return cells.rowwise().sum().replicate(1, cells.cols());
  ArrayXXd folded;
  if (kernel.seasonal) {
    folded = ArrayXXd::Zero(cells.rows(), season_);
    for (Index t = 0; t < cells.cols(); ++t) folded.col(t % season_) += cells.col(t);
  }
  const ArrayXXd& in = kernel.seasonal ? folded : cells;
  ArrayXXd out = in;
  for (Index lag = 1; lag < static_cast<Index>(kernel.weights.size()); ++lag) {
    const double weight = kernel.weights[static_cast<std::size_t>(lag)];
    const Index rest = in.cols() - lag;
    out.leftCols(rest) += weight * in.rightCols(rest);
    out.rightCols(rest) += weight * in.leftCols(rest);
    if (!kernel.seasonal) continue;
    out.rightCols(lag) += weight * in.leftCols(lag);
    out.leftCols(lag) += weight * in.rightCols(lag);
  }
  if (!kernel.seasonal) return out;
  ArrayXXd unfolded(cells.rows(), cells.cols());
  for (Index t = 0; t < cells.cols(); ++t) unfolded.col(t) = out.col(t % season_);
  return unfolded;
}

}  // namespace chronoveil::post::cells
