// Where a row counts: the public series that its key names, and the slot that its time falls into.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/bound/bounded_series.h"
#include "chronoveil/bound/people/siphash.h"
#include "chronoveil/bound/tables/string_table.h"
#include "chronoveil/data/time/slots.h"

namespace chronoveil::bound {

// Cells are numbered by 32 bits and every stage of a release holds at least 8 bytes for each.
inline constexpr std::int64_t kMostCells = std::int64_t{1} << 28;

class CellFinder {
 public:
  static constexpr std::uint32_t kNowhere = StringTable::kNone;

  // Refused: an axis without slots, a key given twice, more than kMostCells cells. The hash only spreads the keys.
  static Result<CellFinder> make(const SlotAxis&, const std::vector<std::string>& keys, const SipHash&);

  std::int64_t series() const { return series_; }
  std::int64_t steps() const { return steps_; }
  std::int64_t cells() const { return series_ * steps_; }

  // The cell of each row of the batch, series * T + slot, or kNowhere. Counts what it leaves out; a row outside the
  // span and of no listed series counts as outside the span.
  Result<void> find(const data::RecordBatch&, std::vector<std::uint32_t>& cells, LeftOut&) const;

 private:
  CellFinder(const SlotAxis&, const SipHash&);

  SipHash hash_;
  data::SlotFinder slot_;
  StringTable keys_;
  std::int64_t series_ = 1;
  std::int64_t steps_ = 0;
};

}  // namespace chronoveil::bound
