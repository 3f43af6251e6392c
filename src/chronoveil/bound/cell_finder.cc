#include "chronoveil/bound/cell_finder.h"

namespace chronoveil::bound {

CellFinder::CellFinder(const SlotAxis& axis, const SipHash& hash) : hash_(hash), slot_(axis), steps_(axis.steps()) {}

Result<CellFinder> CellFinder::make(const SlotAxis& axis, const std::vector<std::string>& keys, const SipHash& hash) {
  if (axis.steps() < 1) return fail(ErrorKind::usage, "slots", "there is no slot between start and end");
  CellFinder finder(axis, hash);
  finder.series_ = keys.empty() ? 1 : static_cast<std::int64_t>(keys.size());
  if (finder.series_ > kMostCells / finder.steps_) {
    return fail(ErrorKind::usage, "slots, series",
                std::to_string(finder.series_) + " series of " + std::to_string(finder.steps_) +
                    " slots are too many for one job, which holds at most " + std::to_string(kMostCells) +
                    " counts; take longer slots, or several jobs");
  }
  for (const std::string& key : keys) {
    const std::uint32_t added = finder.keys_.size();
    if (finder.keys_.find_or_add(key, hash(key)) != added) {
      return fail(ErrorKind::usage, "series", "\"" + key + "\" is in the list twice; every key must be there once");
    }
  }
  return finder;
}

Result<void> CellFinder::find(const data::RecordBatch& batch, std::vector<std::uint32_t>& cells,
                              LeftOut& left_out) const {
  const std::size_t rows = batch.rows();
  const bool named = keys_.size() > 0;
  if (named && rows > 0 && batch.series.empty()) {
    return fail(ErrorKind::usage, "source.series",
                "a list of series needs the column that holds the series of each row");
  }
  if (named && batch.series.size() != rows) return fail(ErrorKind::internal, "a batch with columns of unequal length");
  cells.resize(rows);
  left_out.rows += static_cast<std::int64_t>(rows);
  const auto steps = static_cast<std::uint32_t>(steps_);
  // Files are often sorted by series, or hold one: comparing with the row before then saves the hash.
  std::string_view last_key;
  std::uint32_t last_series = named ? StringTable::kNone : 0;
  bool has_last = false;
  for (std::size_t row = 0; row < rows; ++row) {
    cells[row] = kNowhere;
    const std::int64_t slot = slot_(batch.time[row]);
    if (slot < 0) {
      ++left_out.outside_span;
      continue;
    }
    if (named && (!has_last || batch.series[row] != last_key)) {
      has_last = true;
      last_key = batch.series[row];
      last_series = keys_.find(last_key, hash_(last_key));
    }
    if (last_series == StringTable::kNone) {
      ++left_out.unlisted_series;
      continue;
    }
    cells[row] = last_series * steps + static_cast<std::uint32_t>(slot);
  }
  return {};
}

}  // namespace chronoveil::bound
