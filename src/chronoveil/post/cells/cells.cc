#include "chronoveil/post/cells/cells.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/post/cells/candidates.h"
#include "chronoveil/post/joint/weights.h"

namespace chronoveil::post {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

using ByPlace = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

ArrayXXd one_row_per_place(std::span<const double> all, const CellsSpec& spec) {
  return Eigen::Map<const ByPlace>(all.data(), spec.places, spec.steps);
}

double median(std::vector<double> all) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

constexpr double kCheap = 0.03;  // the price in cells at which their mean is given back

// Where it costs little, gives the mean of all cells back; sums and variances are of cells that are there.
void hold_mean(std::span<const double> measured, const ArrayXd& s, ArrayXd& values, ArrayXd& variances) {
  const auto count = static_cast<double>((s > 0).count());
  const double noise = (s / count).square().sum();
  const ArrayXd of_cells = variances * s.square();
  if (!(noise <= kCheap * of_cells.sum() / count)) return;
  const double missing = (s > 0).select(Eigen::Map<const ArrayXd>(measured.data(), s.size()) - values, 0).sum();
  values += missing * of_cells / of_cells.sum();
  variances = (s > 0).select((variances + noise / s.square()).min(1), variances);
}

}  // namespace

SmoothedCells smooth_cells(std::span<const double> values, std::span<const double> deviations, const CellsSpec& spec) {
  SmoothedCells smoothed{{values.begin(), values.end()}, std::vector<double>(values.size(), 1)};
  std::vector<double> there;
  std::ranges::copy_if(deviations, std::back_inserter(there), [](double s) { return s > 0; });
  if (there.size() < 2) return smoothed;

  const double typical = median(there);
  const ArrayXXd s = one_row_per_place(deviations, spec) / typical;
  const ArrayXXd weights = (s > 0).select(s.square().inverse(), 0);
  const ArrayXXd scaled = (s > 0).select(one_row_per_place(values, spec) / typical, 0);
  const cells::PlaceReach places(spec.places, spec.steps, spec.middles);
  const cells::StepReach steps(spec.steps, spec.season);
  const cells::Candidates candidates(scaled, weights, places, steps);

  const ArrayXd risks = candidates.risks();
  const ArrayXd shares = joint::weights_of(ArrayXd::Ones(risks.size()), risks);
  const cells::CellMixture mixture = candidates.mixture(shares);
  const auto count = static_cast<double>(there.size());
  const double stein = (shares * risks).sum() / count + std::sqrt((spec.fourth_moment - 1) / count);
  const double raise = std::max(0.0, stein - (weights > 0).select(mixture.variance, 0).sum() / count);
  ArrayXd estimates(deviations.size()), variances(deviations.size());
  for (Index cell = 0; cell < estimates.size(); ++cell) {
    const Index place = cell / spec.steps, step = cell % spec.steps;
    estimates[cell] = smoothed.values[static_cast<std::size_t>(cell)] -
                      deviations[static_cast<std::size_t>(cell)] * mixture.residual(place, step);
    variances[cell] = std::clamp(mixture.variance(place, step) + raise, 0.0, 1.0);
  }
  hold_mean(values, Eigen::Map<const ArrayXd>(deviations.data(), estimates.size()), estimates, variances);
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    if (!(deviations[cell] > 0)) continue;
    smoothed.values[cell] = estimates[static_cast<Index>(cell)];
    smoothed.widths[cell] = std::sqrt(variances[static_cast<Index>(cell)]);
  }
  return smoothed;
}

}  // namespace chronoveil::post
