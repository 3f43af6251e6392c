// Compares a release of means with the data. It reads the data three times and reveals it: internal.
#include <algorithm>
#include <limits>

#include "chronoveil/engine/means/means.h"
#include "chronoveil/engine/means/read.h"
#include "chronoveil/engine/release/source.h"

namespace chronoveil::engine {
namespace {

// Bounds that clamp nothing.
Result<bound::ValueGrid> range_of_data(const Job& job, const mechanisms::CellShape& shape) {
  CV_TRY(const std::unique_ptr<data::RecordSource> source, open_job_source(job.source));
  double least = shape.lower, greatest = shape.upper;
  data::RecordBatch batch;
  for (;;) {
    CV_TRY(const bool more, source->next(batch));
    if (!more) break;
    for (const double value : batch.measure) {
      least = std::min(least, value);
      greatest = std::max(greatest, value);
    }
  }
  return bound::ValueGrid::make(least, greatest);
}

void add_truth(const bound::BoundedCells& cells, report::MeansEvaluation& evaluation) {
  for (std::int64_t number = 0; number < cells.cells(); ++number) {
    const bound::CellView cell = cells.cell(number);
    double sum = 0;
    for (const std::uint32_t value : cell.values) sum += value;
    evaluation.users.push_back(static_cast<std::int64_t>(cell.counts.size()));
    evaluation.truth.push_back(cell.values.empty()
                                   ? std::numeric_limits<double>::quiet_NaN()
                                   : cells.grid().to_real(sum / static_cast<double>(cell.values.size())));
  }
}

}  // namespace

Result<report::MeansEvaluation> evaluate_means(const Job& job, std::string_view release_json) {
  if (job.source.path == "-" || job.source.stream != nullptr)
    return fail(ErrorKind::usage, "source.path", "an evaluation reads the data again; it must be a file or a database");
  report::MeansEvaluation evaluation;
  CV_TRY(evaluation.published, report::means_from_json(release_json));
  const MeansRelease& release = evaluation.published.release;
  CV_TRY(const MeansPlanned planned, plan_means(job, Compare::when_needed));
  if (release.places != planned.places || release.axis.boundaries != planned.axis.boundaries)
    return fail(ErrorKind::usage, "release", "it does not have the places and the slots of this job");

  // The caps under which it was made, whatever the job says now.
  const mechanisms::CellShape& shape = evaluation.published.plan.shape;
  CV_TRY(const bound::ValueGrid bounds, bound::ValueGrid::make(shape.lower, shape.upper));
  DrawRight internal = DrawRight::not_private(BitSource());  // as the evaluation is
  CV_TRY(const bound::BoundedCells bounded,
         read_cells(job, planned, {shape.max_cells, shape.max_records}, bounds, internal));
  const bound::CellsLeftOut& left_out = bounded.left_out();
  evaluation.rows = left_out.rows;
  evaluation.outside_span = left_out.outside_span;
  evaluation.unlisted_places = left_out.unlisted_places;
  evaluation.over_cells = left_out.over_cells;
  evaluation.over_records = left_out.over_records;
  evaluation.clamped = left_out.clamped;

  CV_TRY(const bound::ValueGrid everything, range_of_data(job, shape));
  CV_TRY(const bound::BoundedCells plain,
         read_cells(job, planned, {shape.cells(), std::nullopt}, everything, internal));
  add_truth(plain, evaluation);
  return evaluation;
}

}  // namespace chronoveil::engine
