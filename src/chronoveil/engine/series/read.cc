#include "chronoveil/engine/series/read.h"

#include "chronoveil/engine/release/source.h"
#include "chronoveil/engine/release/watched_rows.h"

namespace chronoveil::engine {

Result<bound::BoundedSeries> read_and_bound(const Job& job, const SlotAxis& axis, const mechanisms::PublicShape& shape,
                                            data::RecordSource& source, DrawRight& right, bound::CountPeople count) {
  const bound::Caps caps{shape.unit, shape.max_steps, shape.max_per_slot, shape.maximum};
  if (job.source.user) return bound::bound_records(source, axis, job.keys, caps, right, count);
  return bound::bound_counts(source, axis, job.keys, caps, job.series().duplicates);
}

Result<DataSeen> see_data(const Job& job, const SlotAxis& axis, const mechanisms::PublicShape& shape,
                          data::RecordSource& source) {
  DrawRight forgotten = DrawRight::not_private(BitSource());  // like everything that is drawn with it
  WatchedRows rows(source, axis, job.keys);
  CV_TRY(const bound::BoundedSeries series, read_and_bound(job, axis, shape, rows, forgotten, bound::CountPeople::yes));
  CV_TRY(DataSeen seen, rows.seen(job.slots.zone));
  const bound::LeftOut& left_out = series.left_out();
  seen.counted = left_out.counted();
  if (job.source.user) {
    seen.people = left_out.people;
    seen.people_over_caps = left_out.people_over_caps;
    seen.over_caps = left_out.over_caps;
  }
  return seen;
}

Result<bound::BoundedSeries> read_plainly(const Job& job, const SlotAxis& axis) {
  data::SourceSpec spec = job.source;
  spec.user = std::nullopt;  // who it was does not matter where nobody is limited
  CV_TRY(const std::unique_ptr<data::RecordSource> source, open_job_source(spec));
  const std::int64_t most = bound::kLargestCount;
  const bound::Caps caps{Unit::user, most, most, most};
  const bound::Duplicates duplicates = job.source.user ? bound::Duplicates::sum : job.series().duplicates;
  return bound::bound_counts(*source, axis, job.keys, caps, duplicates);
}

}  // namespace chronoveil::engine
