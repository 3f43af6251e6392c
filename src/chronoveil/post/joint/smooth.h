// The shrink of shrink.h for values in units of their noise, without its interval: a tool of joint denoising.
#pragma once

#include <Eigen/Core>

#include "chronoveil/post/joint/crew.h"

namespace chronoveil::post::joint {

struct Smooth {
  Eigen::ArrayXXd estimate;   // one column per series
  Eigen::ArrayXXd variance;   // not raised by Stein's estimate
  Eigen::ArrayXd divergence;  // one per series
  Eigen::ArrayXd stein;       // Σ p R/T
  Eigen::ArrayXXd risks;      // one row per series, one column per candidate
};
Smooth smooth(Dictionary&, Eigen::Ref<const Eigen::ArrayXXd> values);
// The same, by several threads.
Smooth smooth(Crew&, Eigen::Ref<const Eigen::ArrayXXd> values);

}  // namespace chronoveil::post::joint
