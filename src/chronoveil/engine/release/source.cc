#include "chronoveil/engine/release/source.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "chronoveil/base/interrupted.h"
#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/release/checked_job.h"

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

}  // namespace

Result<std::unique_ptr<data::RecordSource>> open_job_source(const data::SourceSpec& spec) {
  Result<std::unique_ptr<data::RecordSource>> source = named_by_job(data::open_source(spec));
  if (!source && !source.error().parameter.starts_with("source."))
    source.error() =
        under_key(spec.kind == data::SourceKind::postgresql ? "source.url" : "source.path", source.error());
  if (!source) return source;
  return std::make_unique<JobRows>(std::move(*source));
}

Result<void> opened(const Job& job, std::unique_ptr<data::RecordSource>& into) {
  CV_TRY(into, open_job_source(job.source));
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

bool rows_can_be_checked(const Job& job) {
  std::error_code error;
  const std::filesystem::file_status file = std::filesystem::status(job.source.path, error);
  if (job.is<LiveSpec>() && job.source.kind != data::SourceKind::csv) return false;
  if (job.is<LiveSpec>() && std::filesystem::is_directory(file)) return true;
  return job.source.path != "-" && (!std::filesystem::exists(file) || std::filesystem::is_regular_file(file));
}

}  // namespace chronoveil::engine
