// What leaves the house: values with intervals, on a public axis, with the guarantee that covers them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chronoveil/base/guarantee.h"
#include "chronoveil/base/measurement.h"
#include "chronoveil/base/place_grid.h"
#include "chronoveil/base/slot_axis.h"
#include "chronoveil/base/totals.h"

namespace chronoveil {

struct Release {
  std::vector<std::string> keys;  // public, one per series; empty for one series without a name
  std::optional<PlaceGrid> grid;  // where they are, if they are places that come from longitude and latitude
  SlotAxis axis;
  Estimate estimate;    // keys (or 1) times axis.steps() values
  Totals totals;        // none of a release that is published step by step
  double level = 0.95;  // of the intervals
  Guarantee guarantee;
  std::string mark;  // "seeded: not private", "not private: replayed", or empty

  std::int64_t series() const { return keys.empty() ? 1 : static_cast<std::int64_t>(keys.size()); }
};

}  // namespace chronoveil
