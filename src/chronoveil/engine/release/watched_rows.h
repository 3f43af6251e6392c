// Rows on their way to the caps, watched for a check: how many, from when to when, of which keys.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "chronoveil/base/slot_axis.h"
#include "chronoveil/data/record_source.h"
#include "chronoveil/engine/release/data_seen.h"

namespace chronoveil::engine {

class WatchedRows final : public data::RecordSource {
 public:
  static constexpr std::size_t kUnlistedShown = 5;

  // All three must outlive it. `listed`: the public keys; empty: rows have none.
  WatchedRows(data::RecordSource& rows, const SlotAxis& axis, const std::vector<std::string>& listed);
  Result<bool> next(data::RecordBatch& batch) override;

  // Everything but what the caps left out; times by the clock of `zone`.
  Result<DataSeen> seen(const std::string& zone) const;

 private:
  void see_key(std::string_view key);

  data::RecordSource& rows_;
  std::int64_t begin_, end_;
  std::unordered_map<std::string_view, bool> matched_;  // by listed key
  DataSeen seen_;
  std::int64_t first_ = 0, last_ = 0;
};

}  // namespace chronoveil::engine
