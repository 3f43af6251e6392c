#include "chronoveil/data/time/slots_ahead.h"

#include <algorithm>
#include <utility>

namespace chronoveil::data {

Result<SlotsAhead> SlotsAhead::make(const SlotSpec& spec, bool goes_on) {
  CV_TRY(SlotCursor cursor, SlotCursor::make(spec));
  return SlotsAhead(spec, goes_on, std::move(cursor));
}

std::optional<std::int64_t> SlotsAhead::slot_of(std::int64_t instant) {
  while (instant >= end_)
    if (!look_further()) return std::nullopt;
  const auto after = std::upper_bound(begins_.begin(), begins_.end(), instant);
  if (after == begins_.begin()) return std::nullopt;
  return *std::prev(after);
}

void SlotsAhead::forget_before(std::int64_t instant) {
  while (!begins_.empty() && begins_.front() < instant) begins_.pop_front();
}

bool SlotsAhead::look_further() {
  if (cursor_.step() == cursor_.steps()) {
    if (!goes_on_) return false;
    Result<SlotSpec> following = span_after(spec_);
    if (!following) return false;
    Result<SlotCursor> cursor = SlotCursor::make(*following);
    if (!cursor) return false;
    spec_ = *std::move(following);
    cursor_ = *std::move(cursor);
  }
  begins_.push_back(cursor_.begin());
  end_ = cursor_.end();
  cursor_.advance();
  return true;
}

}  // namespace chronoveil::data
