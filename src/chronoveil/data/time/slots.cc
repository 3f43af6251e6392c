#include "chronoveil/data/time/slots.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "chronoveil/data/time/slot_cursor.h"

namespace chronoveil::data {

Result<SlotAxis> make_axis(const SlotSpec& spec) {
  CV_TRY(SlotCursor slot, SlotCursor::make(spec));
  SlotAxis axis;
  axis.zone = spec.zone;
  axis.boundaries.reserve(static_cast<std::size_t>(slot.steps()) + 1);
  axis.labels.reserve(static_cast<std::size_t>(slot.steps()));
  for (; slot.step() < slot.steps(); slot.advance()) {
    axis.boundaries.push_back(slot.begin());
    axis.labels.push_back(slot.label());
  }
  axis.boundaries.push_back(slot.begin());
  return axis;
}

SlotFinder::SlotFinder(const SlotAxis& axis) : axis_(&axis) {
  const std::vector<std::int64_t>& at = axis.boundaries;
  if (axis.steps() == 0) return;
  start_ = at.front();
  end_ = at.back();
  slots_per_millisecond_ = static_cast<double>(axis.steps()) / static_cast<double>(end_ - start_);
  const std::int64_t first = at[1] - at[0];
  const auto other =
      std::adjacent_find(at.begin(), at.end(), [&](std::int64_t a, std::int64_t b) { return b - a != first; });
  if (other == at.end()) length_ = first;
}

std::int64_t SlotFinder::search(std::int64_t milliseconds, std::int64_t guess) const {
  const std::vector<std::int64_t>& at = axis_->boundaries;
  guess = std::min(guess, axis_->steps() - 1);
  // Steps that double until they enclose the instant: clock changes put the guess off by few slots only.
  std::int64_t low = guess;       // at[low] <= instant, once found
  std::int64_t high = guess + 1;  // at[high] > instant, once found
  for (std::int64_t step = 1; at[static_cast<std::size_t>(low)] > milliseconds; step *= 2) {
    high = low;
    low = std::max<std::int64_t>(low - step, 0);
  }
  for (std::int64_t step = 1; at[static_cast<std::size_t>(high)] <= milliseconds; step *= 2) {
    low = high;
    high = std::min(high + step, axis_->steps());
  }
  const auto after = std::upper_bound(at.begin() + low, at.begin() + high, milliseconds);
  return after - at.begin() - 1;
}

}  // namespace chronoveil::data
