#include "chronoveil/engine/series/read.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "chronoveil/base/interrupted.h"
#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/release/watched_rows.h"

namespace chronoveil::engine {
namespace {

template <class T>
Result<T> named_by_job(Result<T> result) {
  return by_key({"source"}, std::move(result));
}

// Without a header, missing columns show only in the first row. Rows may come for hours, so a host may interrupt them.
class JobRows final : public data::RecordSource {
 public:
  explicit JobRows(std::unique_ptr<data::RecordSource> rows) : rows_(std::move(rows)) {}
  Result<bool> next(data::RecordBatch& batch) override {
    CV_CHECK(check_interrupted());
    return named_by_job(rows_->next(batch));
  }
  std::optional<char> shown_delimiter() const override { return rows_->shown_delimiter(); }

 private:
  std::unique_ptr<data::RecordSource> rows_;
};

// Errors of the source as a whole name the key of the source.
Result<std::unique_ptr<data::RecordSource>> open_spec(const data::SourceSpec& spec) {
  Result<std::unique_ptr<data::RecordSource>> source = named_by_job(data::open_source(spec));
  if (!source && !source.error().parameter.starts_with("source."))
    source.error() =
        under_key(spec.kind == data::SourceKind::postgresql ? "source.url" : "source.path", source.error());
  if (!source) return source;
  return std::make_unique<JobRows>(std::move(*source));
}

}  // namespace

Result<std::unique_ptr<data::RecordSource>> open_source(const Job& job) { return open_spec(job.source); }

Result<void> opened(const Job& job, std::unique_ptr<data::RecordSource>& into) {
  CV_TRY(into, open_source(job));
  return {};
}

Result<SlotAxis> axis_of(const Job& job) { return by_key({"slots"}, data::make_axis(job.slots)); }

std::int64_t usual_length(const SlotAxis& axis) {
  // Even where clocks change, two of three slots have the same length, so the median is that length.
  std::vector<std::int64_t> lengths;
  for (std::size_t i = 1; i < axis.boundaries.size(); ++i)
    lengths.push_back(axis.boundaries[i] - axis.boundaries[i - 1]);
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

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

bool rows_can_be_checked(const Job& job) {
  std::error_code error;
  const std::filesystem::file_status file = std::filesystem::status(job.source.path, error);
  return !job.is<LiveSpec>() && job.source.path != "-" &&
         (!std::filesystem::exists(file) || std::filesystem::is_regular_file(file));
}

Result<bound::BoundedSeries> read_plainly(const Job& job, const SlotAxis& axis) {
  data::SourceSpec spec = job.source;
  spec.user = std::nullopt;  // who it was does not matter where nobody is limited
  CV_TRY(const std::unique_ptr<data::RecordSource> source, open_spec(spec));
  const std::int64_t most = bound::kLargestCount;
  const bound::Caps caps{Unit::user, most, most, most};
  const bound::Duplicates duplicates = job.source.user ? bound::Duplicates::sum : job.series().duplicates;
  return bound::bound_counts(*source, axis, job.keys, caps, duplicates);
}

}  // namespace chronoveil::engine
