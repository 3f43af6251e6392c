#include "chronoveil/post/cells/course.h"

#include <algorithm>

namespace chronoveil::post::cells {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr int kRounds = 20;

// x/w, 0 where w is.
ArrayXd means(const ArrayXd& sums, const ArrayXd& weights) { return (weights > 0).select(sums / weights, 0); }

// What varies of f beyond its noise, in the same square units.
double variance_beyond_noise(const ArrayXd& f, const ArrayXd& weights) {
  const double sum = weights.sum(), freedom = static_cast<double>((weights > 0).count()) - 1;
  const double per_variance = sum - weights.square().sum() / sum;
  const double excess = (weights * (f - (weights * f).sum() / sum).square()).sum() - freedom;
  return per_variance > 0 ? std::max(0.0, excess / per_variance) : 0;
}

ArrayXd course_of(const ArrayXXd& centred, const ArrayXXd& weights) {
  const ArrayXd of_places = weights.rowwise().sum(), of_steps = weights.colwise().sum().transpose();
  const ArrayXXd weighted = weights * centred;
  const ArrayXd place_sums = weighted.rowwise().sum(), step_sums = weighted.colwise().sum().transpose();
  ArrayXd f = ArrayXd::Zero(weights.cols());
  for (int round = 0; round < kRounds; ++round) {
    const ArrayXd a = means(place_sums - (weights.matrix() * f.matrix()).array(), of_places);
    f = means(step_sums - (weights.matrix().transpose() * a.matrix()).array(), of_steps);
  }
  const double varies = variance_beyond_noise(f, of_steps);
  return f * varies * of_steps / (varies * of_steps + 1);
}

}  // namespace

Common learn_common(const ArrayXXd& values, const ArrayXXd& weights, const joint::Folds& folds) {
  Common common{ArrayXd::Zero(folds.count()), ArrayXXd::Zero(values.cols(), folds.count())};
  for (Index fold = 0; fold < folds.count(); ++fold) {
    std::vector<Index> others = folds.others(fold);
    for (Index& each : others) each = folds.series_of(each);
    const ArrayXXd theirs = weights(others, Eigen::all), seen = values(others, Eigen::all);
    if (!(theirs.sum() > 0)) continue;
    common.levels[fold] = (theirs * seen).sum() / theirs.sum();
    common.courses.col(fold) = course_of(seen - common.levels[fold], theirs);
  }
  return common;
}

}  // namespace chronoveil::post::cells
