// How far neighbours count when means per place and slot are smoothed: sums over places, and sums over steps, weighted
// by a kernel that is 1 at the place or step itself. Cells are an array with one row per place, one column per step.
//   own     a place, or a step, by itself
//   near    exp(−d²/(2h²)): d the distance between the middles of places, h = ½, 1, 2, ... below their greatest
//           distance; d the number of steps between, h = ½, 1, 2, ... below T/4
//   season  of steps: d the distance within the season, whichever season it is; h = 0, 1, 2, ... up to a eighth of it
//   all     the same weight everywhere
// Everything here is public. The cost is known before: near places need P² T multiplications a width, near steps
// 15 h P T. Beyond kMostNearPlaces places, or kMostNearWork multiplications, places have only `own` and `all`.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace chronoveil::post::cells {

inline constexpr Eigen::Index kMostNearPlaces = 4096;
inline constexpr double kMostNearWork = 0x1p34;

struct Middle {
  double x = 0, y = 0;  // in units of the distance between neighbours
};

bool near_places_fit(Eigen::Index places, Eigen::Index steps);

class PlaceReach {
 public:
  // `middles` may be empty: then nobody knows which places are near.
  PlaceReach(Eigen::Index places, Eigen::Index steps, const std::vector<Middle>& middles);

  Eigen::Index count() const { return 2 + static_cast<Eigen::Index>(widths_.size()); }
  bool knows_near() const { return !widths_.empty(); }
  Eigen::ArrayXXd sums(Eigen::Index reach, const Eigen::ArrayXXd& cells) const;

 private:
  const std::vector<Middle>& middles_;
  std::vector<double> widths_;
};

class StepReach {
 public:
  // `season`: steps after which places look alike again; 0: none.
  StepReach(Eigen::Index steps, Eigen::Index season);

  Eigen::Index count() const { return static_cast<Eigen::Index>(kernels_.size()); }
  Eigen::ArrayXXd sums(Eigen::Index reach, const Eigen::ArrayXXd& cells) const;

 private:
  struct Kernel {
    bool seasonal = false, all = false;
    std::vector<double> weights = {};  // by lag, from 0
  };
  Eigen::Index season_;
  std::vector<Kernel> kernels_;
};

}  // namespace chronoveil::post::cells
