#include "chronoveil/training/clock.h"

#include "chronoveil/data/time/slot_cursor.h"

namespace chronoveil::training {

Result<SlotAxis> axis_beyond(const data::SlotSpec& clock, std::int64_t until, std::int64_t after) {
  CV_TRY(SlotAxis axis, data::make_axis(clock));
  data::SlotSpec span = clock;
  std::int64_t last = -1;  // the slot that holds `until`, or the one before the clock begins
  for (;;) {
    while (last + 1 < axis.steps() && axis.boundaries[static_cast<std::size_t>(last + 1)] <= until) ++last;
    if (axis.steps() - (last + 1) >= after && axis.boundaries.back() > until) return axis;
    CV_TRY(span, data::span_after(span));
    CV_TRY(const SlotAxis next, data::make_axis(span));
    axis.boundaries.insert(axis.boundaries.end(), next.boundaries.begin() + 1, next.boundaries.end());
    axis.labels.insert(axis.labels.end(), next.labels.begin(), next.labels.end());
    if (axis.steps() > data::kMostSlots)
      return fail(
          ErrorKind::bad_data, "time",
          "the history is more than " + std::to_string(data::kMostSlots) + " slots after the model's clock begins");
  }
}

}  // namespace chronoveil::training
