#include <filesystem>

#include "chronoveil/bound/people/bound_in_turn.h"
#include "chronoveil/engine/release/source.h"
#include "chronoveil/engine/series/read.h"
#include "chronoveil/engine/series/series.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/report/document/json_parts.h"
#include "chronoveil/report/means/published.h"

namespace chronoveil::engine {
namespace {

// What the values of a release estimate: the counts, or the sums of each series up to each step.
std::vector<double> estimated_by(const mechanisms::SeriesMechanism& mechanism, const bound::BoundedSeries& series) {
  std::vector<double> truth(series.counts().begin(), series.counts().end());
  if (!mechanism.totals) return truth;
  const auto steps = static_cast<std::size_t>(series.steps());
  for (std::size_t i = 0; i < truth.size(); ++i)
    if (i % steps != 0) truth[i] += truth[i - 1];
  return truth;
}

Result<bound::BoundedSeries> bound_as_released(const Job& job, const SlotAxis& axis,
                                               const mechanisms::PublicShape& shape, data::RecordSource& source) {
  if (job.is<LiveSpec>() && job.source.user)
    return bound::bound_in_turn(source, axis, job.keys,
                                {shape.unit, shape.max_steps, shape.max_per_slot, shape.maximum});
  DrawRight internal = DrawRight::not_private(BitSource());  // as the evaluation is
  return read_and_bound(job, axis, shape, source, internal);
}

// As one word of a line for a shell.
std::string quoted(const std::string& path) {
  std::string word = "'";
  for (const char c : path) word += c == '\'' ? "'\\''" : std::string(1, c);
  return word + "'";
}

// A live release reads its folder file by file; an evaluation reads all rows, twice, from one file.
Result<void> check_is_no_folder(const Job& job) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (job.source.kind != data::SourceKind::csv || !fs::is_directory(job.source.path, ignored)) return {};
  const std::string joined = (fs::path(job.path).parent_path() / "all.csv").string();
  const char* const rows = job.source.header ? "awk 'FNR > 1 || NR == 1' " : "awk 1 ";
  return fail(ErrorKind::usage, "source.path",
              "'" + job.source.path + "' is a folder, and an evaluation reads one file; this line joins its files" +
                  (job.source.header ? " into one with one header" : "") + ": " + rows + quoted(job.source.path) +
                  "/*.csv > " + quoted(joined) +
                  "; then evaluate a copy of the job, beside it, with path = \"all.csv\"");
}

}  // namespace

Result<report::Evaluation> evaluate_job(const Job& job, std::string_view release_json) {
  if (job.source.path == "-" || job.source.stream != nullptr)
    return fail(ErrorKind::usage, "source.path", "an evaluation reads the data twice; it must be a file or a database");
  CV_CHECK(check_is_no_folder(job));
  if (report::kind_in(release_json) == "means")
    return fail(ErrorKind::usage, "release", "it is one of means, and this job releases counts");
  report::Evaluation evaluation;
  CV_TRY(evaluation.published, report::from_json(release_json));
  const Release& release = evaluation.published.release;
  CV_TRY(SlotAxis axis, axis_of(job));
  // A live release has the steps that are published so far, of the span that it is in.
  if (job.is<LiveSpec>()) axis = release.axis;
  if (release.keys != job.keys || release.axis.boundaries != axis.boundaries)
    return fail(ErrorKind::usage, "release", "it does not have the series and the slots of this job");

  CV_TRY(const mechanisms::SeriesMechanism* mechanism,
         mechanisms::find_series_mechanism(evaluation.published.plan.mechanism));
  CV_TRY(const bound::BoundedSeries plain, read_plainly(job, axis));
  CV_TRY(const std::unique_ptr<data::RecordSource> source, open_job_source(job.source));
  // The caps under which it was made, whatever the job says now.
  CV_TRY(const bound::BoundedSeries bounded, bound_as_released(job, axis, evaluation.published.plan.shape, *source));
  evaluation.truth = estimated_by(*mechanism, plain);
  evaluation.bounded = estimated_by(*mechanism, bounded);
  const bound::LeftOut& left_out = bounded.left_out();
  evaluation.rows = left_out.rows;
  evaluation.outside_span = left_out.outside_span;
  evaluation.unlisted_series = left_out.unlisted_series;
  evaluation.over_caps = left_out.over_caps;
  evaluation.clamped = left_out.clamped;
  return evaluation;
}

}  // namespace chronoveil::engine
