// Public covariates of a step: where in its day, week and year it is. They come from the clock alone, never from data.
#pragma once

#include <cstdint>
#include <vector>

#include "chronoveil/forecasting/choices.h"

namespace chronoveil::forecasting {

// The covariates of the steps first, ..., first + count - 1, row by row: for every step the same floats as
// Calendar::at(). For integer periods, sines are computed once per step of the period.
class CalendarRows {
 public:
  CalendarRows(const Calendar&, std::int64_t first, std::int64_t count);
  const float* from(std::int64_t step) const { return rows_.data() + (step - first_) * covariates_; }

 private:
  std::int64_t first_, covariates_;
  std::vector<float> rows_;
};

// From the length of a slot in seconds and the local time at which step 0 starts (seconds since a Monday's midnight):
// the day for slots below a day, the week for slots of at most a day, the year (365.2425 days, from step 0) for days
// and more up to half a year. No covariates for a slot that is not positive and finite.
Calendar calendar_of(double slot_seconds, double first_second_of_week);

// The season a baseline should use: the steps of a day for slots of at most six hours that divide it (24 for hours, 48
// for half-hours, 96 for quarters), 7 for days, 52 for weeks, 12 for months (28 to 31 days), otherwise 1.
std::int64_t usual_season(double slot_seconds);

}  // namespace chronoveil::forecasting
