#include "chronoveil/engine/live/folder.h"
#include "chronoveil/engine/live/live.h"
#include "chronoveil/engine/live/see.h"
#include "chronoveil/engine/release/order.h"
#include "chronoveil/engine/release/outputs.h"
#include "chronoveil/engine/release/source.h"
#include "chronoveil/engine/series/ask.h"
#include "chronoveil/engine/series/read.h"
#include "chronoveil/engine/series/series.h"

namespace chronoveil::engine {

Result<Checked> check_job(const Job& job, const RunOptions& options, bool read_data) {
  CV_TRY(Planned planned, plan_job(job, Compare::when_needed));
  if (!job.is<LiveSpec>()) CV_CHECK(check_tells_something(planned.tells_nothing, options));
  CV_CHECK(check_outputs(job));
  CV_TRY(const Claim claim, claim_of(job));
  CV_TRY(OpenBudget budget, open_budget(job, claim, options.ledger));
  if (job.is<LiveSpec>()) {
    if (read_data && job.source.kind != data::SourceKind::csv)
      return fail(ErrorKind::usage, "data", "the rows of this live release are pushed to it: none are there yet");
    CV_TRY(const LiveStanding stands, live_status(job, options.ledger));
    Checked checked{std::move(planned), std::move(budget.view), {}, std::nullopt, {}};
    // An open release resumes at no further cost: the budget need not have room for it twice.
    Job of_span = job;
    if (stands.stage == LiveStage::open) {
      CV_TRY(const LiveFolder folder, LiveFolder::of_release(budget.place, job));
      CV_CHECK(check_goes_on(folder, job, stands.asked == 0 && stands.published == 0));
      checked.earlier = EarlierDebit{stands.debit->id};
      of_span.slots.start = stands.start;
      of_span.slots.end = stands.end;
    } else {
      CV_TRY(checked.cost, check_debit(budget, claim, ask_of(checked.planned)));
      CV_TRY(checked.room, room_for(budget, claim, ask_of(checked.planned)));
    }
    if (!read_data) return checked;
    CV_TRY(const SlotAxis axis, axis_of(of_span));
    CV_TRY(checked.seen, see_live_rows(job, axis, checked.planned.chosen.shape));
    return checked;
  }
  CV_TRY(const std::unique_ptr<data::RecordSource> source, open_job_source(job.source));
  CV_TRY(DebitAsked asked, ask_ledger(budget, claim, ask_of(planned)));
  std::optional<DataSeen> seen;
  if (read_data) {
    CV_TRY(seen, see_data(job, planned.axis, planned.chosen.shape, *source));
  }
  return Checked{std::move(planned), std::move(budget.view),    std::move(asked.cost), std::move(asked.earlier),
                 asked.room,         source->shown_delimiter(), std::move(seen)};
}

}  // namespace chronoveil::engine
