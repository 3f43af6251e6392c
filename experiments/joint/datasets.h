// The panels of the experiment: many series over the same steps, read in place or made up.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::joint {

struct Panel {
  std::string name = {};
  std::int64_t steps = 0;
  std::int64_t season = 0;         // public: steps after which series roughly repeat; 0: none
  std::vector<double> truth = {};  // series-major
  std::int64_t series() const { return static_cast<std::int64_t>(truth.size()) / steps; }
};

// The median over the series of their standard deviation in time: what noise is measured against.
double median_deviation(const Panel&);

// In the order of the tables:
//   pems04            307 sensors, vehicles every 5 minutes, a day of 288 steps
//   city              100 sensors of the simulated city, hourly counts of four weeks, 20000 people, a day of 24
//   electricity       321 clients, hourly load, a day of 24
//   los_loop          207 detectors, mean speed every 5 minutes, a day of 288
//   foursquare        the 100 busiest places, slots of 6 hours, a week of 28
//   gowalla           the 100 busiest venues, slots of 12 hours, a week of 14
//   rotated           pems04, every sensor rotated in time by an amount of its own: little is left in common
//   shuffled          pems04, the steps of every sensor in an order of its own: nothing is
//   exchange          8 daily exchange rates, the last 700 days
//   two, one          of pems04
// Each is read when it is asked for.
struct NamedPanel {
  std::string name;
  std::function<Result<Panel>(const std::string& folder)> read;
};
std::vector<NamedPanel> real_panels();

// Small and made up, for the tests: 24 sensors with days of 12 steps that are alike.
Panel toy_panel();

}  // namespace chronoveil::joint
