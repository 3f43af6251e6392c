#include "chronoveil/engine/live/live.h"
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
    if (read_data) return fail(ErrorKind::usage, "data", "the rows of a live release are not there yet");
    CV_TRY(const LiveStanding stands, live_status(job, options.ledger));
    // An open release resumes at no further cost: the budget need not have room for it twice.
    if (stands.stage == LiveStage::open)
      return Checked{std::move(planned), std::move(budget.view), {}, EarlierDebit{stands.debit->id}, {}};
    CV_TRY(ledger::Cost once, check_debit(budget, claim, ask_of(planned)));
    CV_TRY(const ledger::Room room, room_for(budget, claim, ask_of(planned)));
    return Checked{std::move(planned), std::move(budget.view), std::move(once), std::nullopt, room};
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
