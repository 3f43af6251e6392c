// Means per place and slot as they leave the house.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/base/guarantee.h"
#include "chronoveil/base/place_grid.h"
#include "chronoveil/base/slot_axis.h"

namespace chronoveil {

// A cell is one place in one slot.
struct CellEstimate {
  // `empty`: nobody is there, by public counts. `sparse`: below the threshold for sparse cells, which looks only at
  // public or noisy counts. Neither has a mean.
  enum class State { published, empty, sparse };
  State state = State::empty;
  double mean = std::numeric_limits<double>::quiet_NaN();
  double lower = std::numeric_limits<double>::quiet_NaN();
  double upper = std::numeric_limits<double>::quiet_NaN();
  double deviation = std::numeric_limits<double>::quiet_NaN();  // of the noise that was added to the mean, where known
  double measured = std::numeric_limits<double>::quiet_NaN();   // of smoothed cells: the mean as it was, not cut either
};

// Over what the means of a release were smoothed. `by_place`: over the slots of each place and over all places alike,
// since nobody knows which places are near each other, or there are too many.
enum class Smoothed { no, by_place, over_places };

struct MeansRelease {
  std::vector<std::string> places;  // public; empty: one place without a name
  std::optional<PlaceGrid> grid;    // where the places are, if they come from longitude and latitude
  SlotAxis axis;
  std::vector<CellEstimate> cells;  // place * T + slot
  double lower = 0, upper = 0;      // the public bounds of a value
  double level = 0.95;              // of the intervals
  Smoothed smoothed = Smoothed::no;
  Guarantee guarantee;
  std::string mark;  // "seeded: not private", "not private: replayed", or empty

  std::int64_t place_count() const { return places.empty() ? 1 : static_cast<std::int64_t>(places.size()); }
};

}  // namespace chronoveil
