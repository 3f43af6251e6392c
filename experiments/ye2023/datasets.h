// The series of the experiment: prices and cabs, read in place, and made-up ones of the same form.
#pragma once

#include <string>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::ye2023 {

// Daily close prices of General Electric, 1962 to 2017: Stock-N.
Result<std::vector<double>> read_prices(const std::string& folder);

// Stock-B: whether each price but the first is above the one before. Unchanged is not up.
std::vector<bool> went_up(const std::vector<double>& prices);

struct Place {
  double longitude = 0, latitude = 0;  // degrees
};
using Trajectory = std::vector<Place>;

// Public bounds of the places of all cabs: the Bay Area.
inline constexpr double kWest = -122.6, kEast = -122.0, kSouth = 37.3, kNorth = 38.0;

// The ways of five cabs of San Francisco, each cut where it has been silent for more than 15 minutes, and then into
// pieces of 300 places, one per step; a shorter rest is dropped. A step is about a minute.
inline constexpr std::size_t kTrajectorySteps = 300;
Result<std::vector<Trajectory>> read_trajectories(const std::string& folder);

// Small stand-ins for the tests. A random walk of prices around 10; and from each of six places, walkers that stay
// near it.
std::vector<double> make_prices(std::size_t days);
std::vector<Trajectory> make_trajectories(std::size_t number, std::size_t steps);

}  // namespace chronoveil::ye2023
