#include "chronoveil/engine/debited_run.h"

namespace chronoveil::engine {

Result<void> check_rehearsal(const RunOptions& options) {
  if (options.seed && options.replay)
    return fail(ErrorKind::usage, "seed: a replay has its own random choices; leave --seed out");
  return {};
}

Result<void> ask_before_second_debit(OpenBudget& budget, const Job& job) {
  CV_TRY(const std::optional<EarlierDebit> earlier, earlier_debit(budget, job));
  if (!earlier) return {};
  const std::string id = earlier->id.text();
  std::string message = "this job over this span was debited before, as " + id + " (" +
                        std::string(ledger::name(earlier->state)) + "); --yes debits it a second time";
  if (earlier->stored) message += ", --again " + id + " emits its stored release anew at no cost";
  return fail(ErrorKind::usage, message);
}

Result<ledger::Debit> debit_of_job(OpenBudget& budget, const Job& job, const std::string& debit) {
  CV_TRY(const ledger::DebitId id, ledger::DebitId::parse(debit));
  if (id.dataset != job.dataset)
    return invalid("again", debit, "it must be a debit of the job's dataset '" + job.dataset + "'");
  CV_TRY(const std::vector<ledger::Debit> debits, budget.ledger.history(job.dataset));
  const auto found = std::find_if(debits.begin(), debits.end(), [&](const ledger::Debit& one) { return one.id == id; });
  if (found == debits.end())
    return invalid("again", debit, "it must be a debit that is in the ledger; see budget history");
  if (!is_of_job(*found, job)) return invalid("again", debit, "it must be a debit of this very job over this span");
  return *found;
}

}  // namespace chronoveil::engine
