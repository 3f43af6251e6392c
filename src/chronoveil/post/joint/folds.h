// Who learns from whom. Series are dealt into folds in the order of the public list; what a fold is told is learned
// from the other folds, so that for the noise of its own series it is constant.
//   learning set   series 0, q, 2q, ... with q = ⌈S/limit⌉: beyond a few thousand series nothing more is learned
//   folds          learner l (0-based among the learners) is in fold l mod K, K = min(learners, 8)
//   the rest       series that do not learn are in one more fold, K, and learn from all learners
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <vector>

namespace chronoveil::post::joint {

inline constexpr Eigen::Index kLearners = 4000;

class Folds {
 public:
  explicit Folds(Eigen::Index series, Eigen::Index limit = kLearners)
      : series_(series),
        stride_((series + limit - 1) / limit),
        learners_((series + stride_ - 1) / stride_),
        dealt_(std::min<Eigen::Index>(learners_, 8)) {}

  Eigen::Index series() const { return series_; }
  Eigen::Index learners() const { return learners_; }
  Eigen::Index dealt() const { return dealt_; }                              // K, folds of learners
  Eigen::Index count() const { return stride_ == 1 ? dealt_ : dealt_ + 1; }  // with that of the rest

  Eigen::Index series_of(Eigen::Index learner) const { return learner * stride_; }
  bool learns(Eigen::Index series) const { return series % stride_ == 0; }
  Eigen::Index learner_of(Eigen::Index series) const { return series / stride_; }  // of one that learns
  Eigen::Index fold_of_learner(Eigen::Index learner) const { return learner % dealt_; }
  Eigen::Index fold_of(Eigen::Index series) const {
    return learns(series) ? fold_of_learner(learner_of(series)) : dealt_;
  }

  // The learners outside a fold, ascending.
  std::vector<Eigen::Index> others(Eigen::Index fold) const {
    std::vector<Eigen::Index> all;
    for (Eigen::Index l = 0; l < learners_; ++l)
      if (fold_of_learner(l) != fold) all.push_back(l);
    return all;
  }
  // The least number of learners outside a fold.
  Eigen::Index fewest_others() const { return learners_ - (learners_ + dealt_ - 1) / dealt_; }

 private:
  Eigen::Index series_, stride_, learners_, dealt_;
};

}  // namespace chronoveil::post::joint
