#include "chronoveil/post/joint/factors.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/post/joint/leading.h"
#include "chronoveil/post/joint/smooth.h"

namespace chronoveil::post::joint {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kMostFactors = 16;

// The columns of a few indices.
MatrixXd columns(const MatrixXd& all, const std::vector<Index>& indices) { return all(Eigen::all, indices); }

MatrixXd product_with_itself(const MatrixXd& columns) {
  MatrixXd gram = MatrixXd::Zero(columns.rows(), columns.rows());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(columns);
  return gram.selfadjointView<Eigen::Lower>();
}

// U of every fold, by the eigenvectors of the products of series with series, or of steps with steps, whichever are
// fewer. Products of steps are summed fold by fold, not subtracted from those of all: nothing cancels.
class Directions {
 public:
  Directions(MatrixXd centred, const Folds& folds)
      : centred_(std::move(centred)), folds_(folds), by_steps_(centred_.rows() < centred_.cols()) {
    if (!by_steps_) {
      between_series_ = product_with_itself(centred_.transpose());
      return;
    }
    for (Index fold = 0; fold < folds.dealt(); ++fold) {
      std::vector<Index> own;
      for (Index l = fold; l < folds.learners(); l += folds.dealt()) own.push_back(l);
      between_steps_.push_back(product_with_itself(columns(centred_, own)));
    }
  }

  MatrixXd of(Index fold, Index most) {
    const std::vector<Index> others = folds_.others(fold);
    if (!by_steps_) {
      MatrixXd start;  // of a size of its own in every fold
      return leading(between_series_(others, others), most, start).vectors;
    }
    MatrixXd sum = MatrixXd::Zero(centred_.rows(), centred_.rows());
    for (Index other = 0; other < folds_.dealt(); ++other)
      if (other != fold) sum += between_steps_[static_cast<std::size_t>(other)];
    const Leading in_time = leading(sum, most, start_);
    return columns(centred_, others).transpose() * in_time.vectors *
           in_time.values.cwiseSqrt().cwiseInverse().asDiagonal();
  }

 private:
  MatrixXd centred_;
  const Folds& folds_;
  bool by_steps_;
  MatrixXd between_series_, start_;
  std::vector<MatrixXd> between_steps_;
};

MatrixXd orthonormal_curves(const ArrayXXd& curves) {
  MatrixXd kept(curves.rows(), curves.cols());
  Index count = 0;
  for (Index j = 0; j < curves.cols(); ++j) {
    VectorXd one = (curves.col(j) - curves.col(j).mean()).matrix();
    const double least = 1e-3 * one.norm() + 1e-6;
    for (int pass = 0; pass < 2; ++pass) one -= kept.leftCols(count) * (kept.leftCols(count).transpose() * one);
    if (one.norm() < least) continue;
    kept.col(count++) = one.normalized();
  }
  return kept.leftCols(count);
}

}  // namespace

std::vector<Factors> learn_factors(Crew& crew, const ArrayXXd& values, const ArrayXXd& smoothed, const Folds& folds) {
  const Index steps = values.rows();
  const auto centred = [](const ArrayXXd& all) -> MatrixXd { return (all.rowwise() - all.colwise().mean()).matrix(); };
  const MatrixXd noisy = centred(values);
  Directions directions(centred(smoothed), folds);
  std::vector<MatrixXd> weights;  // one after the other: each starts from the vectors of the one before
  for (Index fold = 0; fold < folds.count(); ++fold)
    weights.push_back(directions.of(fold, std::min(kMostFactors, steps / 4)));
  std::vector<Factors> all(weights.size());
  crew.each(folds.count(), [&](Dictionary& dictionary, Index fold) {
    const MatrixXd& own = weights[static_cast<std::size_t>(fold)];
    const Smooth components = smooth(dictionary, (columns(noisy, folds.others(fold)) * own).array());
    const ArrayXd sums = own.colwise().sum().transpose().array();
    const double shared = (sums.square() / static_cast<double>(own.rows()) * components.divergence).sum();
    all[static_cast<std::size_t>(fold)] = {orthonormal_curves(components.estimate),
                                           std::min(1.0, shared / static_cast<double>(steps))};
  });
  return all;
}

}  // namespace chronoveil::post::joint
