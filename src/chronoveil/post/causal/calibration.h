// How much the variances V of live estimates are raised, so that their intervals hold the truth on average over steps
// and series. A bank of models is sure of itself where none of them describes a series; Stein's estimate of the error
// is not [Stein81]. In units of the noise, with z measured and gain = ∂x̂/∂z:
//   lack    (z − x̂)² − 1 + 2 gain − V: the expectation of what V lacks of the squared error
//   δ_s     its mean over the steps of series s so far, which fade by 1 − 1/max(4B, 400) per step, B the season;
//           δ̄ over all series
//   v       its squared error: the variance of all lacks over the effective number of steps
//   raise   max(0, δ̄ + b(δ_s − δ̄) + √(v (b + (1 − b)/S))), b = A/(A + v), A = max(0, variance of δ over s − v):
//           each series by itself as far as they differ, all together otherwise
//   Edges   one series: b = 1, its own mean and one standard error of it; before the first lack 0
//   Cost    O(S) per step
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chronoveil/base/state_words.h"

namespace chronoveil::post {

class CausalCalibration {
 public:
  CausalCalibration(std::size_t series, std::int64_t season);

  // Once per step: what the variances of this step lack, by add() for every series that was measured; then settle().
  void fade();
  void add(std::size_t series, double lack);
  void settle();
  double raise(std::size_t series) const;

  void save(StateWriter&) const;
  void load(StateReader&);

 private:
  struct Sums {
    double steps = 0, lacks = 0;
    double mean() const { return steps > 0 ? lacks / steps : 0; }
  };

  double keep_;             // what is left of the past after a step
  std::vector<Sums> each_;  // by series
  Sums all_;
  double weights_squared_ = 0, lacks_squared_ = 0;
  double trust_ = 1, error_ = 0;  // b, and the root above; of the last settle()
};

}  // namespace chronoveil::post
