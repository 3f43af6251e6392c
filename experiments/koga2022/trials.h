// Many releases of one series by one mechanism, each with a seed of its own, and how far off they are.
#pragma once

#include <string>
#include <vector>

#include "chronoveil/accounting/accountant.h"
#include "koga2022/datasets.h"

namespace chronoveil::koga2022 {

inline constexpr double kEpsilon = 0.5, kDelta = 1e-4;

// A mechanism of the catalogue with the experiment's parameters; `label` is its name in the tables.
struct Contender {
  std::string label, mechanism;
  bool season = false;  // told the season
  bool trend = false;   // asked for the trend
};
std::vector<Contender> contenders(const Dataset&);

struct Errors {
  double scale = 0;  // σ
  double mean = 0;   // of the mean absolute error of a release
  double deviation = 0;
};
Result<Errors> run_trials(const Dataset&, const Contender&, accounting::Analysis, int trials);

}  // namespace chronoveil::koga2022
