// Rows as the bounding of cells needs them: who, by exact name and by hash; in which cell; which value, on the grid.
// They hold no views into the batch that they were made from, so the next one can be read while they are used.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/bound/people/siphash.h"
#include "chronoveil/bound/tables/string_table.h"
#include "chronoveil/bound/tables/text_buffer.h"
#include "chronoveil/data/time/slots.h"

namespace chronoveil::bound {

struct PlacedValue {
  ShortText user;
  std::uint32_t cell = 0;   // place * T + slot
  std::uint32_t value = 0;  // steps
};

struct PlacedValues {
  std::vector<PlacedValue> rows;
  TextBuffer texts;
};

class ValuePlacer {
 public:
  // Refused: an axis without slots, names and a grid at once, a name that is empty or given twice, too many cells. The
  // source, the axis and the places must outlive it.
  static Result<ValuePlacer> make(data::RecordSource&, const SlotAxis&, const Places&, const ValueGrid&, BitSource&);

  std::int64_t places() const { return places_; }
  std::int64_t steps() const { return steps_; }

  // The rows of the next batch that count; false at the end. Refuses rows in the span without a place, and rows in the
  // span and at a listed place without a user or a value.
  Result<bool> next(PlacedValues&);

  // So far. A row outside the span and at no listed place counts as outside the span.
  const CellsLeftOut& left_out() const { return left_out_; }

 private:
  static constexpr std::int64_t kUnlisted = -1, kMissing = -2;

  ValuePlacer(data::RecordSource&, const SlotAxis&, const Places&, const ValueGrid&, BitSource&);
  Result<void> check_columns() const;
  std::int64_t place_of(std::size_t row);  // or kUnlisted, or kMissing
  Failure bad_row(std::size_t row, std::string_view what) const;

  data::RecordSource* source_;
  data::SlotFinder slot_;
  const PlaceGrid* map_;
  ValueGrid grid_;
  SipHash name_hash_;
  StringTable names_;
  std::int64_t places_ = 1, steps_;
  CellsLeftOut left_out_;
  data::RecordBatch batch_;
  std::string_view last_name_;  // in this batch
  std::int64_t last_place_ = kUnlisted;
};

}  // namespace chronoveil::bound
