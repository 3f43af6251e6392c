// Running and checking a job of means; release/order.h has the order in which it happens.
#include "chronoveil/engine/means/ask.h"
#include "chronoveil/engine/means/read.h"
#include "chronoveil/engine/release/assumptions.h"
#include "chronoveil/engine/release/order.h"
#include "chronoveil/engine/release/outputs.h"
#include "chronoveil/engine/release/source.h"
#include "chronoveil/engine/release/watched_rows.h"
#include "chronoveil/mechanisms/cells/parts/smoothing.h"
#include "chronoveil/mechanisms/draws.h"

namespace chronoveil::engine {
namespace {

Result<bound::BoundedCells> bounded(const MeansPlanned& planned, data::RecordSource& source, DrawRight& right) {
  const mechanisms::CellShape& shape = planned.chosen.shape;
  CV_TRY(const bound::ValueGrid values, bound::ValueGrid::make(shape.lower, shape.upper));
  return read_cells(planned, {shape.max_cells, shape.max_records}, values, source, right);
}

Result<DataSeen> see_data(const Job& job, const MeansPlanned& planned, data::RecordSource& source) {
  DrawRight forgotten = DrawRight::not_private(BitSource());  // like everything that is drawn with it
  WatchedRows rows(source, planned.axis, job.keys);
  CV_TRY(const bound::BoundedCells cells, bounded(planned, rows, forgotten));
  CV_TRY(DataSeen seen, rows.seen(job.slots.zone));
  const bound::CellsLeftOut& left_out = cells.left_out();
  seen.counted = left_out.counted();
  seen.people = left_out.people;
  seen.people_over_caps = left_out.people_over_caps;
  seen.over_caps = left_out.over_cells + left_out.over_records;
  return seen;
}

report::MeansPublished published_of(const Job& job, const MeansPlanned& planned, std::vector<CellEstimate> cells,
                                    std::string mark) {
  report::MeansPublished published;
  published.title = job.title.empty() ? (job.dataset.empty() ? "Private means" : job.dataset) : job.title;
  published.measure = *job.source.measure;
  published.not_protected = planned.not_protected;
  MeansRelease& release = published.release;
  release.places = planned.places;
  release.grid = planned.grid;
  release.axis = planned.axis;
  release.cells = std::move(cells);
  release.lower = planned.chosen.shape.lower;
  release.upper = planned.chosen.shape.upper;
  release.level = planned.chosen.level;
  if (job.means().smooth) release.smoothed = mechanisms::smoothed_by(planned.chosen.shape, planned.grid);
  release.guarantee = planned.guarantee;
  release.mark = std::move(mark);
  disown(release.guarantee, published.not_protected, release.mark);
  published.plan = planned.chosen;
  published.comparison = planned.comparison;
  published.reason = planned.reason;
  return published;
}

Result<void> write_means(const Job& job, const report::MeansPublished& published, const std::string& document) {
  return write_outputs(
      job, published, document,
      Writers<report::MeansPublished>{report::means_csv, report::means_html, report::means_svg, report::means_geojson});
}

ReleaseKind<report::MeansPublished> means_kind(const Job& job) {
  ReleaseKind<report::MeansPublished> kind =
      kind_of_document<report::MeansPublished>(report::means_json, report::means_from_json);
  kind.write = [&job](const auto& published, const auto& document) { return write_means(job, published, document); };
  return kind;
}

Result<report::MeansPublished> made(const Job& job, const RunOptions& options, const MeansPlanned& planned,
                                    data::RecordSource& source, mechanisms::Draws& draws) {
  tell(options, "reading");
  CV_TRY(const bound::BoundedCells cells, bounded(planned, source, draws.right()));
  CV_CHECK(check_not_empty(cells.left_out().counted(), options.allow_empty));
  tell(options, "releasing");
  CV_TRY(std::vector<CellEstimate> estimates, mechanisms::measure_uncut(planned.chosen, cells, draws));
  if (job.means().smooth)
    estimates = mechanisms::smoothed(planned.chosen, std::move(estimates), planned.grid, planned.axis);
  report::MeansPublished published =
      published_of(job, planned, mechanisms::cut(std::move(estimates), planned.chosen.shape), draws.mark());
  if (!options.allow_empty && published.release.mark.empty()) add_not_empty(published.release.guarantee.assumptions);
  return published;
}

}  // namespace

Result<report::MeansPublished> run_means(const Job& job, const RunOptions& options) {
  CV_CHECK(check_rehearsal(options));
  if (options.replay && options.replay->kept)
    return fail(ErrorKind::usage, "run.keep_from", "means sample no steps; leave it out");
  tell(options, "planning");
  CV_TRY(const MeansPlanned planned, plan_means(job, Compare::when_needed));
  CV_CHECK(check_tells_something(planned.tells_nothing, options));
  CV_CHECK(check_outputs(job));
  if (options.rehearses()) CV_CHECK(check_replaces_no_release(job));
  ReleaseKind<report::MeansPublished> kind = means_kind(job);
  CV_CHECK(claim_for(job, planned.chosen.relation, options, kind));
  std::unique_ptr<data::RecordSource> source;
  kind.open = [&] { return opened(job, source); };
  kind.make = [&](mechanisms::Draws& draws) { return made(job, options, planned, *source, draws); };
  return run_debited(options, ask_of(planned), kind);
}

Result<report::MeansPublished> run_means_again(const Job& job, const std::string& debit, const RunOptions& options) {
  CV_CHECK(check_outputs(job));
  CV_TRY(const MeansPlanned planned, plan_means(job, Compare::when_needed));
  ReleaseKind<report::MeansPublished> kind = means_kind(job);
  CV_CHECK(claim_for(job, planned.chosen.relation, options, kind));
  return emit_again(debit, options, kind);
}

Result<MeansChecked> check_means_job(const Job& job, const RunOptions& options, bool read_data) {
  CV_TRY(MeansPlanned planned, plan_means(job, Compare::when_needed));
  CV_CHECK(check_tells_something(planned.tells_nothing, options));
  CV_TRY(const Claim claim, claim_of(job, planned.chosen.relation));
  CV_CHECK(check_outputs(job));
  CV_TRY(OpenBudget budget, open_budget(job, claim, options.ledger));
  CV_TRY(const std::unique_ptr<data::RecordSource> source, open_job_source(job.source));
  CV_TRY(DebitAsked asked, ask_ledger(budget, claim, ask_of(planned)));
  std::optional<DataSeen> seen;
  if (read_data) {
    CV_TRY(seen, see_data(job, planned, *source));
  }
  return MeansChecked{std::move(planned), std::move(budget.view),    std::move(asked.cost), std::move(asked.earlier),
                      asked.room,         source->shown_delimiter(), std::move(seen)};
}

}  // namespace chronoveil::engine
