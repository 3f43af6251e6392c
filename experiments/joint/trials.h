// One panel under noise of one deviation, many times over: how far off each contender is.
#pragma once

#include <string>
#include <vector>

#include "joint/datasets.h"

namespace chronoveil::joint {

// Means over the trials. Errors are mean absolute errors in the units of the data.
struct Score {
  std::string contender;
  double cells = 0;        // of cells
  double total = 0;        // of the sum of all series at a step
  double season = 0;       // of the sum of all series over a whole season; 0 without one
  double own_season = 0;   // of the sum of one series over a whole season; 0 without one
  double tens = 0;         // of sums of ten series that follow each other, at a step; 0 with fewer than ten
  double tens_season = 0;  // of these over a whole season; 0 without one
  double held = 0;         // share of cells in their 95 % interval; 0 without one
  double total_held = 0;   // of sums of all series at a step
};

// Of one trial, by its noisy values.
using Scoring = std::vector<Score> (*)(const Panel&, double sigma, const std::vector<double>& noisy);
// noisy, shrink, joint, groups, local level, singular values. Groups: joint, told that ten series that follow each
// other are a group each; with fewer than ten it is left out.
std::vector<Score> score_all(const Panel&, double sigma, const std::vector<double>& noisy);

// Each trial has a seed of its own.
Result<std::vector<Score>> run_trials(const Panel&, double sigma, int trials, Scoring);

double mean_distance(const std::vector<double>& values, const std::vector<double>& truth);

}  // namespace chronoveil::joint
