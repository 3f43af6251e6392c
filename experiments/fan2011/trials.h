// Many releases of one series by one mechanism, each with a seed of its own, and how far off they are.
#pragma once

#include <cstdint>
#include <string>

#include "chronoveil/mechanisms/series_mechanism.h"
#include "fan2011/datasets.h"

namespace chronoveil::fan2011 {

inline constexpr double kSanityBound = 1;

// A mechanism of the catalogue with the parameters of the experiment; `label` and `settings` name it in the tables.
struct Contender {
  std::string label, settings, mechanism;
  double delta = 0;
  mechanisms::Parameters parameters;
};

struct Outcome {
  double scale = 0;              // b or σ
  double asked = 0;              // steps that were asked, on average
  double last = 0;               // the last of them, counted from 1
  double error = 0, spread = 0;  // average relative error of a release: mean and standard deviation over the trials
  double absolute = 0;           // mean absolute error
  double coverage = 0;           // of the 95 % intervals: the share of the steps that they hold
};

// A person may be in every step (I = T), once in each. Values are published as max(0, value); the average relative
// error is mean |r − x| / max(x, sanity bound).
Result<Outcome> run_trials(const Dataset&, const Contender&, double epsilon, int trials);

}  // namespace chronoveil::fan2011
