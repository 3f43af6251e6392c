// Running a job of counts; release/order.h has the order in which it happens.
#include "chronoveil/engine/release/assumptions.h"
#include "chronoveil/engine/release/order.h"
#include "chronoveil/engine/release/outputs.h"
#include "chronoveil/engine/release/source.h"
#include "chronoveil/engine/series/ask.h"
#include "chronoveil/engine/series/published.h"
#include "chronoveil/engine/series/read.h"
#include "chronoveil/engine/series/totals.h"

namespace chronoveil::engine {
namespace {

ReleaseKind<report::Published> series_kind(const Job& job) {
  ReleaseKind<report::Published> kind = kind_of_document<report::Published>(report::to_json, report::from_json);
  kind.write = [&job](const auto& published, const auto& document) { return write_series(job, published, document); };
  return kind;
}

Result<report::Published> made(const Job& job, const RunOptions& options, const Planned& planned, const SumPlan& sums,
                               data::RecordSource& source, mechanisms::Draws& draws) {
  tell(options, "reading");
  CV_TRY(const bound::BoundedSeries series,
         read_and_bound(job, planned.axis, planned.chosen.shape, source, draws.right()));
  const bool may_be_empty = options.allow_empty || job.series().may_be_empty;
  CV_CHECK(check_not_empty(series.left_out().counted(), may_be_empty));
  tell(options, "releasing");
  CV_TRY(const Measurement measurement, mechanisms::measure(planned.chosen, series, draws));
  CV_TRY(mechanisms::Summed made, mechanisms::reconstruct(planned.chosen, measurement, sums.asked));
  report::Published published = published_of(job, planned, std::move(made.estimate), draws.mark());
  published.release.totals = totals_of(job, sums, made.summands);
  if (!may_be_empty && published.release.mark.empty()) add_not_empty(published.release.guarantee.assumptions);
  return published;
}

}  // namespace

Result<report::Published> run_job(const Job& job, const RunOptions& options) {
  CV_CHECK(check_rehearsal(options));
  if (job.is<LiveSpec>() && !options.rehearses())
    return fail(ErrorKind::usage, "live", "this job publishes step by step; use chronoveil live, or leave [live] out");
  tell(options, "planning");
  CV_TRY(const Planned planned, plan_job(job, Compare::when_needed));
  CV_TRY(const SumPlan sums, plan_sums(job, planned.axis, planned.chosen));
  CV_CHECK(check_tells_something(planned.tells_nothing, options));
  CV_CHECK(check_outputs(job));
  if (options.rehearses()) CV_CHECK(check_replaces_no_release(job));
  ReleaseKind<report::Published> kind = series_kind(job);
  CV_CHECK(claim_for(job, job.relation, options, kind));
  std::unique_ptr<data::RecordSource> source;
  kind.open = [&] { return opened(job, source); };
  kind.make = [&](mechanisms::Draws& draws) { return made(job, options, planned, sums, *source, draws); };
  return run_debited(options, ask_of(planned), kind);
}

Result<report::Published> run_again(const Job& job, const std::string& debit, const RunOptions& options) {
  CV_CHECK(check_outputs(job));
  ReleaseKind<report::Published> kind = series_kind(job);
  CV_CHECK(claim_for(job, job.relation, options, kind));
  return emit_again(debit, options, kind);
}

}  // namespace chronoveil::engine
