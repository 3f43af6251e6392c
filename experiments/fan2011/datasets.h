// The series of the experiment, read in place, and a made-up one for the tests.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::fan2011 {

struct Dataset {
  std::string name = {};
  std::vector<std::int64_t> counts = {};
  std::int64_t season = 0;  // steps per year, or per week: a public fact
};

// Weekly visits for influenza-like illness, ages 5 to 24, 2006 week 40 to 2010 week 39: 209 weeks.
Result<Dataset> read_flu(const std::string& folder);
// Black or African American unemployed aged 16 to 19, in thousands, January 1972 to October 2011: 478 months.
Result<Dataset> read_unemployment(const std::string& folder);
// Vehicles per day on a motorway, 2017-04-09 to 2018-09-30: the last 540 days of the file, as many as the report has,
// and the stretch with the fewest gaps. Hours that occur several times count once; a missing hour counts 0.
Result<Dataset> read_traffic(const std::string& folder);

// A year of 24 steps with a peak of a few, T = 96.
Dataset make_toy();

}  // namespace chronoveil::fan2011
