#include "chronoveil/post/joint/weights.h"

#include "chronoveil/post/shrink/dictionary.h"

namespace chronoveil::post::joint {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

namespace {

constexpr double kUnseen = 0x1p-40;  // weights below this change nothing by a billionth of the noise

}  // namespace

ArrayXd weights_of(const ArrayXd& prior, const ArrayXd& risks) {
  ArrayXd weights = prior * ((risks.minCoeff() - risks) / kTemperature).exp();
  weights = (weights < kUnseen * weights.maxCoeff()).select(0, weights);
  return weights / weights.sum();
}

ArrayXXd learn_priors(const ArrayXXd& risks, Index of_dictionary, const Folds& folds) {
  constexpr double kPseudoSeries = 10;
  const double others = static_cast<double>(folds.fewest_others()), share = 0.5 * others / (others + 4);
  const Index joint = risks.cols() - of_dictionary;
  ArrayXd base(risks.cols());
  base.head(of_dictionary).setConstant((1 - share) / static_cast<double>(of_dictionary));
  base.tail(joint).setConstant(share / static_cast<double>(joint));

  const ArrayXXd likelihoods = ((risks.rowwise().minCoeff().replicate(1, risks.cols()) - risks) / kTemperature).exp();
  ArrayXXd priors = base.transpose().replicate(folds.count(), 1);
  for (int pass = 0; pass < 3; ++pass) {
    ArrayXXd sums = ArrayXXd::Zero(folds.dealt(), risks.cols());
    for (Index l = 0; l < folds.learners(); ++l) {
      const ArrayXd weights = priors.row(folds.fold_of_learner(l)).transpose() * likelihoods.row(l).transpose();
      sums.row(folds.fold_of_learner(l)) += (weights / weights.sum()).transpose();
    }
    for (Index fold = 0; fold < folds.count(); ++fold) {
      ArrayXd sum = kPseudoSeries * base;
      for (Index other = 0; other < folds.dealt(); ++other)
        if (other != fold) sum += sums.row(other).transpose();
      priors.row(fold) = (sum / (kPseudoSeries + static_cast<double>(folds.others(fold).size()))).transpose();
    }
  }
  return priors;
}

}  // namespace chronoveil::post::joint
