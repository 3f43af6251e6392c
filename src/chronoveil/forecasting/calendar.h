// Public covariates of a step: where in its day, week and year it is. They come from the clock alone, never from data.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::forecasting {

// Each period of p steps gives two covariates, sin and cos of 2π (step + phase) / p.
struct Calendar {
  struct Cycle {
    double period = 0;  // in steps
    double phase = 0;
  };
  std::vector<Cycle> cycles;

  std::int64_t covariates() const { return 2 * static_cast<std::int64_t>(cycles.size()); }
  void at(std::int64_t step, float* out) const;  // covariates() numbers
};

// From the length of a slot in seconds and the local time at which step 0 starts (seconds since a Monday's midnight):
// the day for slots below a day, the week for slots of at most a day, the year for days and more.
Calendar calendar_of(double slot_seconds, double first_second_of_week);

// The season a baseline should use: 24 for hours, 7 for days, 52 for weeks, 12 for months, otherwise 1.
std::int64_t usual_season(double slot_seconds);

}  // namespace chronoveil::forecasting
