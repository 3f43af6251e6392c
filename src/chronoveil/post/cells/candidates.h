// The candidates of cells.h: what each would do, how wrong it is by Stein's estimate, and mixtures of them.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "chronoveil/post/cells/course.h"
#include "chronoveil/post/cells/reach.h"

namespace chronoveil::post::cells {

inline constexpr double kPull[] = {0, 1, 4, 16, 64, 256};              // κ
inline constexpr double kOwnVariance[] = {0, 0.0625, 0.25, 1, 4, 16};  // τ²
inline constexpr Eigen::Index kPulls = 6, kOwnVariances = 6;

// One mixture, in units of the noise of each cell.
struct CellMixture {
  Eigen::ArrayXXd residual;  // (z − x̂)√w
  Eigen::ArrayXXd variance;  // V before it is raised
};

// One row per place, one column per step; `weights` are 0 where there is no cell, and so are `values`.
class Candidates {
 public:
  Candidates(const Eigen::ArrayXXd& values, const Eigen::ArrayXXd& weights, const PlaceReach&, const StepReach&);

  Eigen::Index count() const { return pairs() * per_pair(); }
  Eigen::ArrayXd risks() const;
  CellMixture mixture(const Eigen::ArrayXd& shares) const;

  // z − x̂ of a cell in units of its noise, and H: what a test compares with the definition.
  struct One {
    Eigen::ArrayXXd residual, slope;
  };
  One one(Eigen::Index number) const;

 private:
  struct Affine {
    Eigen::ArrayXXd off, leverage;  // z − m and ℓ, 0 where there is no cell
  };
  Eigen::Index pairs() const { return place_reach_.count() * step_reach_.count(); }
  Eigen::Index bases() const { return static_cast<Eigen::Index>(bases_.size()); }
  Eigen::Index per_pair() const { return bases() * pulls_ * kOwnVariances; }
  // Calls with the number of the first of kOwnVariances candidates and their Affine, for wanted pairs and pulls.
  template <class Wanted, class Call>
  void for_each(const Wanted& wanted, const Call& call) const;

  const Eigen::ArrayXXd &values_, &weights_;
  const PlaceReach& place_reach_;
  const StepReach& step_reach_;
  std::vector<Eigen::ArrayXXd> bases_;  // b
  Eigen::Index pulls_ = kPulls;
  Eigen::ArrayXXd given_up_;  // 1 − g, a column per τ², a row per cell
};

}  // namespace chronoveil::post::cells
