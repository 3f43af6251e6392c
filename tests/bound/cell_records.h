// Records with a value in memory, to be read as a source in batches of any size.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bound/records.h"
#include "chronoveil/bound/cells/bounded_cells.h"

namespace chronoveil::bound {

struct ValueRecord {
  std::string user;
  std::string place;
  std::int64_t slot = 0;
  double value = 0;
  double longitude = 0, latitude = 0;
};

struct ValueColumns {
  bool user = true;
  bool place = true;
  bool value = true;
  bool point = false;
};

// Texts are handed out from one buffer that the next batch overwrites, as a reader's would be.
class ValueSource : public data::RecordSource {
 public:
  explicit ValueSource(std::vector<ValueRecord> records, std::size_t batch = 1000, ValueColumns columns = {})
      : records_(std::move(records)), batch_(batch), columns_(columns) {}

  Result<bool> next(data::RecordBatch& out) override {
    out = {};
    out.first_row = static_cast<std::int64_t>(next_) + 1;
    std::fill(texts_.begin(), texts_.end(), '#');
    const std::size_t first = next_;
    next_ = std::min(records_.size(), next_ + batch_);
    texts_.clear();
    for (std::size_t row = first; row < next_; ++row) texts_ += records_[row].user + records_[row].place;
    const char* text = texts_.data();
    for (std::size_t row = first; row < next_; ++row) {
      const ValueRecord& record = records_[row];
      out.time.push_back(record.slot * kSlot + static_cast<std::int64_t>(row % 1000));
      if (columns_.user) out.user.emplace_back(text, record.user.size());
      if (columns_.place) out.series.emplace_back(text + record.user.size(), record.place.size());
      text += record.user.size() + record.place.size();
      if (columns_.value) out.measure.push_back(record.value);
      if (columns_.point) {
        out.longitude.push_back(record.longitude);
        out.latitude.push_back(record.latitude);
      }
    }
    return out.rows() > 0;
  }

 private:
  std::vector<ValueRecord> records_;
  std::size_t batch_;
  ValueColumns columns_;
  std::size_t next_ = 0;
  std::string texts_;
};

// Bounds of [0, 2^30], so that a step is 1 and values are easily read.
inline ValueGrid unit_grid() { return *ValueGrid::make(0, 1 << 30); }

inline Result<BoundedCells> cells_with_seed(const std::vector<ValueRecord>& records, std::int64_t steps,
                                            const std::vector<std::string>& names, const CellCaps& caps,
                                            std::uint64_t seed = 1, std::size_t batch = 1000,
                                            ValueColumns columns = {}) {
  ValueSource source(records, batch, columns);
  DrawRight right = DrawRight::seeded(seed);
  return bound_cells(source, hourly_axis(steps), {names, {}}, caps, unit_grid(), right);
}

// A cell as a list of people, each a list of values.
using CellLists = std::vector<std::vector<std::uint32_t>>;

inline CellLists lists_of(const CellView& cell) {
  CellLists lists;
  auto value = cell.values.begin();
  for (const std::uint32_t count : cell.counts) {
    lists.emplace_back(value, value + count);
    value += count;
  }
  EXPECT_EQ(value, cell.values.end());
  return lists;
}

inline std::vector<CellLists> lists_of(const BoundedCells& cells) {
  std::vector<CellLists> all;
  for (std::int64_t number = 0; number < cells.cells(); ++number) all.push_back(lists_of(cells.cell(number)));
  return all;
}

inline bool operator==(const CellsLeftOut& a, const CellsLeftOut& b) {
  return a.rows == b.rows && a.outside_span == b.outside_span && a.unlisted_places == b.unlisted_places &&
         a.over_cells == b.over_cells && a.over_records == b.over_records && a.clamped == b.clamped;
}

}  // namespace chronoveil::bound
