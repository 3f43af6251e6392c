// Values per place and slot, in which nobody has more cells, or more records in a cell, than the caps allow. Raw
// records end here.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chronoveil/base/draw_right.h"
#include "chronoveil/base/place_grid.h"
#include "chronoveil/base/result.h"
#include "chronoveil/base/slot_axis.h"
#include "chronoveil/data/record_source.h"

namespace chronoveil::bound {

// Values become integers before anything else: floor((clamp(v) − lower) / g + 1/2) with g the power of two for which
// (upper − lower) / g is in (2^29, 2^30]. U on this grid is floor((upper − lower) / g) steps, and no value exceeds it.
// Both differences are rounded to doubles; nothing else is. That moves a value by 2^-23 steps at most, and the bounds
// 0 and U hold in any case.
class ValueGrid {
 public:
  // Refused unless lower < upper, both finite and at most 2^500 in magnitude, and U at least 2^-500 and at least 2^-40
  // of the larger magnitude (below that, doubles themselves are too coarse).
  static Result<ValueGrid> make(double lower, double upper);

  double lower() const { return lower_; }
  double upper() const { return upper_; }
  double step() const { return step_; }                 // g
  std::uint32_t upper_steps() const { return steps_; }  // U
  // Clamped, then rounded; `clamped` counts values outside the bounds. The caller refuses NaN.
  std::uint32_t to_steps(double value, std::int64_t& clamped) const {
    const double inside = std::clamp(value, lower_, upper_);
    if (inside != value) ++clamped;
    // Not floor(x + 0.5), since that sum is rounded: 0.5 − 2^-54 would become 1.
    const double steps = (inside - lower_) * steps_per_unit_;
    const auto whole = static_cast<std::uint32_t>(steps);
    return std::min(steps_, whole + (steps - whole >= 0.5 ? 1 : 0));
  }
  double to_real(double steps) const { return lower_ + steps * step_; }

 private:
  double lower_ = 0, upper_ = 0, step_ = 0;
  double steps_per_unit_ = 0;  // 1/g, a power of two as well: multiplying by it is exact
  std::uint32_t steps_ = 0;
};

struct CellCaps {
  std::int64_t max_cells = 1;                 // c: cells per person, over the whole job
  std::optional<std::int64_t> max_records{};  // per person and cell: the first in input order
};

// What bounding left out: private, for the internal report only.
struct CellsLeftOut {
  std::int64_t rows = 0;              // read in all
  std::int64_t outside_span = 0;      // rows
  std::int64_t unlisted_places = 0;   // rows
  std::int64_t over_cells = 0;        // records in cells beyond max_cells of their person
  std::int64_t over_records = 0;      // records beyond max_records, in cells that stay
  std::int64_t clamped = 0;           // values outside the bounds, among all rows in the span and the list
  std::int64_t people = 0;            // with a row that counts
  std::int64_t people_over_caps = 0;  // those of whom something was left out

  std::int64_t counted() const { return rows - outside_span - unlisted_places; }  // rows
};

// One cell. Users by number of records, most first, ties by the bytes of their identifier: never by file order, which
// may depend on values. `values` are those of the first user, in input order, then those of the second, ...
struct CellView {
  std::span<const std::uint32_t> counts;  // m_l, each at least 1
  std::span<const std::uint32_t> values;  // steps in [0, upper_steps]
  std::uint32_t upper_steps = 0;          // U
};

class BoundedCells {
 public:
  BoundedCells(std::int64_t places, std::int64_t steps, const ValueGrid& grid, const CellCaps& caps)
      : places_(places), steps_(steps), grid_(grid), caps_(caps) {}

  std::int64_t places() const { return places_; }
  std::int64_t steps() const { return steps_; }
  std::int64_t cells() const { return places_ * steps_; }
  const ValueGrid& grid() const { return grid_; }
  const CellCaps& caps() const { return caps_; }
  const CellsLeftOut& left_out() const { return left_out_; }
  CellView cell(std::int64_t number) const;  // place * T + slot

 private:
  friend class CellsBuilder;
  std::int64_t places_, steps_;
  ValueGrid grid_;
  CellCaps caps_;
  CellsLeftOut left_out_;
  std::vector<std::uint64_t> first_count_;  // of each cell in counts_, and one more: the end
  std::vector<std::uint64_t> first_value_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> values_;
};

// Where cells are: names for the source's `series` column (none: one place), or a grid for its longitude and latitude.
struct Places {
  std::vector<std::string> names;
  std::optional<PlaceGrid> grid;
};

// One pass, in memory that grows with what the caps let stay, not with what is read. Which of a person's cells stay is
// uniformly random: those with the smallest pseudo-random priorities under a key from `right`, whatever the values and
// the order of the rows. Refused rows: no user, no place (an empty field), a value that is no finite number.
Result<BoundedCells> bound_cells(data::RecordSource&, const SlotAxis&, const Places&, const CellCaps&, const ValueGrid&,
                                 DrawRight& right);

}  // namespace chronoveil::bound
