#include "chronoveil/engine/budget.h"
#include "chronoveil/engine/engine.h"
#include "chronoveil/engine/publishing.h"
#include "chronoveil/engine/reading.h"

namespace chronoveil::engine {

Result<Checked> check_job(const Job& job, const RunOptions& options, bool read_data) {
  CV_TRY(Planned planned, plan_job(job, Compare::when_needed));
  CV_CHECK(check_outputs(job));
  CV_TRY(OpenBudget budget, open_budget(job, options.ledger));
  CV_TRY(const std::unique_ptr<data::RecordSource> source, open_source(job));
  CV_TRY(ledger::Cost cost, check_debit(budget, job, planned));
  CV_TRY(std::optional<EarlierDebit> earlier, earlier_debit(budget, job));
  if (read_data)
    CV_CHECK(read_and_bound(job, planned.axis, planned.chosen.shape, *source, BitSource::for_this_thread()));
  return Checked{std::move(planned), std::move(budget.view), std::move(cost), std::move(earlier)};
}

}  // namespace chronoveil::engine
