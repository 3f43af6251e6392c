#include "chronoveil/post/cells/candidates.h"

namespace chronoveil::post::cells {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

namespace {

auto flat(const ArrayXXd& cells) { return Eigen::Map<const ArrayXd>(cells.data(), cells.size()); }

std::vector<ArrayXXd> bases_of(const ArrayXXd& values, const ArrayXXd& weights) {
  const joint::Folds folds(values.rows());
  const Common common = learn_common(values, weights, folds);
  ArrayXXd level(values.rows(), values.cols()), course = level;
  for (Index place = 0; place < values.rows(); ++place) {
    const Index fold = folds.fold_of(place);
    level.row(place).setConstant(common.levels[fold]);
    course.row(place) = common.levels[fold] + common.courses.col(fold).transpose();
  }
  if (values.cols() == 1) return {level};
  return {level, course};
}

}  // namespace

Candidates::Candidates(const ArrayXXd& values, const ArrayXXd& weights, const PlaceReach& places,
                       const StepReach& steps)
    : values_(values), weights_(weights), place_reach_(places), step_reach_(steps) {
  if (values.rows() == 1) {
    bases_ = {ArrayXXd::Zero(values.rows(), values.cols())};
    pulls_ = 1;
  } else {
    bases_ = bases_of(values, weights);
  }
  given_up_.resize(values.size(), kOwnVariances);
  for (Index own = 0; own < kOwnVariances; ++own) given_up_.col(own) = 1 / (1 + kOwnVariance[own] * flat(weights));
}

template <class Wanted, class Call>
void Candidates::for_each(const Wanted& wanted, const Call& call) const {
  const Index steps = values_.cols();
  ArrayXXd both(values_.rows(), 2 * steps);
  both << weights_ * values_, weights_;
  Index number = 0;
  for (Index near = 0; near < place_reach_.count(); ++near) {
    if (!wanted(number, step_reach_.count() * per_pair())) {
      number += step_reach_.count() * per_pair();
      continue;
    }
    const ArrayXXd sums = place_reach_.sums(near, both);
    const ArrayXXd of_values = sums.leftCols(steps), of_weights = sums.rightCols(steps);
    for (Index then = 0; then < step_reach_.count(); ++then) {
      if (!wanted(number, per_pair())) {
        number += per_pair();
        continue;
      }
      const ArrayXXd divisors = step_reach_.sums(then, of_weights);
      for (const ArrayXXd& base : bases_) {
        // b is the same for all cells that a place looks at: it is a column of its fold.
        const ArrayXXd sum = step_reach_.sums(then, of_values - base * of_weights), own = values_ - base;
        for (Index pull = 0; pull < pulls_; ++pull, number += kOwnVariances) {
          if (!wanted(number, kOwnVariances)) continue;
          const ArrayXXd inverse = (weights_ > 0).select((divisors + kPull[pull]).inverse(), 0);
          call(number, Affine{(weights_ > 0).select(own - sum * inverse, 0), weights_ * inverse});
        }
      }
    }
  }
}

ArrayXd Candidates::risks() const {
  ArrayXd all(count());
  const double cells = static_cast<double>((weights_ > 0).count());
  const Eigen::MatrixXd squared = given_up_.square();
  for_each([](Index, Index) { return true; },
           [&](Index number, const Affine& affine) {
             const ArrayXXd squares = affine.off.square() * weights_;
             const ArrayXXd kept = (weights_ > 0).select(1 - affine.leverage, 0);
             all.segment(number, kOwnVariances) = (squared.transpose() * flat(squares).matrix() -
                                                   2 * given_up_.matrix().transpose() * flat(kept).matrix())
                                                      .array() +
                                                  cells;
           });
  return all;
}

CellMixture Candidates::mixture(const ArrayXd& shares) const {
  CellMixture mixture{ArrayXXd::Zero(values_.rows(), values_.cols()), ArrayXXd::Zero(values_.rows(), values_.cols())};
  const ArrayXXd roots = weights_.sqrt();
  for_each([&](Index first, Index count) { return (shares.segment(first, count) > 0).any(); },
           [&](Index number, const Affine& affine) {
             for (Index own = 0; own < kOwnVariances; ++own) {
               const double share = shares[number + own];
               if (share == 0) continue;
               const Eigen::Map<const ArrayXXd> given_up(given_up_.col(own).data(), values_.rows(), values_.cols());
               const ArrayXXd residual = given_up * affine.off * roots;
               mixture.residual += share * residual;
               mixture.variance += share * (1 - given_up * (1 - affine.leverage) + residual.square());
             }
           });
  mixture.variance -= mixture.residual.square();
  return mixture;
}

Candidates::One Candidates::one(Index wanted) const {
  ArrayXd shares = ArrayXd::Zero(count());
  shares[wanted] = 1;
  CellMixture alone = mixture(shares);
  return {std::move(alone.residual), std::move(alone.variance)};
}

}  // namespace chronoveil::post::cells
