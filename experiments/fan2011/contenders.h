// Who is compared, and which parameters are varied.
#pragma once

#include <string>
#include <vector>

#include "fan2011/trials.h"

namespace chronoveil::fan2011 {

inline constexpr double kDelta = 1e-6;  // of those that need one

// Each with the settings of the report (`published`: Q = 0.001, R = 10) and with ours (Q auto, R that of the noise) if
// it has a filter; kalman and shrink also with the season as a parameter.
std::vector<Contender> contenders(const Dataset&);

// One point of a figure: the contender with one parameter set to `value`; `line` is what the points of a line share.
struct Point {
  std::string figure, line, parameter;
  double value = 0;
  Contender contender;
};

// Q (figure 9) and R (figure 10) of a filter on every step.
std::vector<Point> filter_points();
// M (figure 12), gains and T_i (figure 13), ξ (figure 14) and θ (figure 15) of fast on a series of that many steps.
std::vector<Point> control_points(std::int64_t steps);

}  // namespace chronoveil::fan2011
