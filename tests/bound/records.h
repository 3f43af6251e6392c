// Records in memory, to be read as a source in batches of any size.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chronoveil/bound/bounded_series.h"

namespace chronoveil::bound {

inline constexpr std::int64_t kSlot = 3'600'000;  // of hourly_axis

struct Record {
  std::string user;
  std::string series;
  std::int64_t slot = 0;
  std::int64_t value = 1;
};

struct Columns {
  bool user = true;
  bool series = true;
  bool value = true;
};

// Row i of slot s is at s hours and i milliseconds. Texts are handed out from one buffer that the next batch
// overwrites, as a reader's would be.
class MemorySource : public data::RecordSource {
 public:
  explicit MemorySource(std::vector<Record> records, std::size_t batch = 1000, Columns columns = {})
      : records_(std::move(records)), batch_(batch), columns_(columns) {}

  Result<bool> next(data::RecordBatch& out) override {
    out = {};
    out.first_row = static_cast<std::int64_t>(next_) + 1;
    std::fill(texts_.begin(), texts_.end(), '#');
    std::vector<std::pair<std::size_t, std::size_t>> sizes;
    std::string texts;
    for (; next_ < records_.size() && out.time.size() < batch_; ++next_) {
      const Record& record = records_[next_];
      out.time.push_back(record.slot * kSlot + static_cast<std::int64_t>(next_) % 1000);
      if (columns_.value) out.value.push_back(record.value);
      texts += record.user + record.series;
      sizes.emplace_back(record.user.size(), record.series.size());
    }
    texts_ = std::move(texts);
    const char* text = texts_.data();
    for (const auto& [user, series] : sizes) {
      if (columns_.user) out.user.emplace_back(text, user);
      if (columns_.series) out.series.emplace_back(text + user, series);
      text += user + series;
    }
    return out.rows() > 0;
  }

 private:
  std::vector<Record> records_;
  std::size_t batch_;
  Columns columns_;
  std::size_t next_ = 0;
  std::string texts_;
};

inline SlotAxis hourly_axis(std::int64_t steps) {
  SlotAxis axis;
  for (std::int64_t slot = 0; slot <= steps; ++slot) axis.boundaries.push_back(slot * kSlot);
  axis.labels.resize(static_cast<std::size_t>(steps));
  return axis;
}

inline Result<BoundedSeries> bound_with_seed(const std::vector<Record>& records, std::int64_t steps,
                                             const std::vector<std::string>& keys, const Caps& caps,
                                             std::uint64_t seed = 1, std::size_t batch = 1000, Columns columns = {}) {
  MemorySource source(records, batch, columns);
  DrawRight right = DrawRight::seeded(seed);
  return bound_records(source, hourly_axis(steps), keys, caps, right);
}

inline std::vector<std::int64_t> counts_of(const Result<BoundedSeries>& bounded) {
  if (!bounded) return {};
  return {bounded->counts().begin(), bounded->counts().end()};
}

inline Caps user_caps(std::int64_t max_steps, std::int64_t max_per_slot, std::int64_t maximum = std::int64_t{1} << 53) {
  return {Unit::user, max_steps, max_per_slot, maximum};
}

inline Caps event_caps(std::int64_t max_per_slot, std::int64_t maximum = std::int64_t{1} << 53) {
  return {Unit::event, 0, max_per_slot, maximum};
}

}  // namespace chronoveil::bound
