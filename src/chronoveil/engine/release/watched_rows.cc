#include "chronoveil/engine/release/watched_rows.h"

#include <algorithm>
#include <optional>

#include "chronoveil/data/time/slot_cursor.h"

namespace chronoveil::engine {

WatchedRows::WatchedRows(data::RecordSource& rows, const SlotAxis& axis, const std::vector<std::string>& listed)
    : rows_(rows), begin_(axis.boundaries.front()), end_(axis.boundaries.back()) {
  for (const std::string& key : listed) matched_.emplace(key, false);
  seen_.listed = static_cast<std::int64_t>(listed.size());
}

Result<bool> WatchedRows::next(data::RecordBatch& batch) {
  CV_TRY(const bool more, rows_.next(batch));
  if (!more) return false;
  std::optional<std::string_view> last_key;  // files are often sorted by key
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    const std::int64_t time = batch.time[row];
    first_ = seen_.rows == 0 ? time : std::min(first_, time);
    last_ = seen_.rows == 0 ? time : std::max(last_, time);
    ++seen_.rows;
    if (time < begin_ || time >= end_) continue;
    ++seen_.inside_span;
    if (seen_.listed == 0 || batch.series.size() <= row || batch.series[row] == last_key) continue;
    last_key = batch.series[row];
    see_key(*last_key);
  }
  return true;
}

void WatchedRows::see_key(std::string_view key) {
  if (const auto found = matched_.find(key); found != matched_.end()) {
    found->second = true;
  } else if (seen_.unlisted.size() < kUnlistedShown &&
             std::find(seen_.unlisted.begin(), seen_.unlisted.end(), key) == seen_.unlisted.end()) {
    seen_.unlisted.emplace_back(key);
  }
}

Result<DataSeen> WatchedRows::seen(const std::string& zone) const {
  DataSeen all = seen_;
  for (const auto& [key, has_rows] : matched_) all.matched += has_rows;
  if (all.rows > 0) {
    CV_TRY(all.first, data::label_at(first_, zone));
    CV_TRY(all.last, data::label_at(last_, zone));
  }
  return all;
}

}  // namespace chronoveil::engine
