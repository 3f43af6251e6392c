// Running a job. The order is the promise: plan from public facts, debit, and only then touch data and draw bits.
#include "chronoveil/engine/budget.h"
#include "chronoveil/engine/engine.h"
#include "chronoveil/engine/publishing.h"
#include "chronoveil/engine/reading.h"

namespace chronoveil::engine {
namespace {

void tell(const RunOptions& options, std::string_view stage) {
  if (options.progress) options.progress(stage);
}

Result<Estimate> measured(const Job& job, const Planned& planned, data::RecordSource& source, mechanisms::Draws& draws,
                          const RunOptions& options) {
  tell(options, "reading");
  CV_TRY(const bound::BoundedSeries series,
         read_and_bound(job, planned.axis, planned.chosen.shape, source, draws.bits()));
  tell(options, "releasing");
  CV_TRY(const Measurement measurement, mechanisms::measure(planned.chosen, series, draws));
  return mechanisms::reconstruct(planned.chosen, measurement);
}

// Not private, so nothing is debited and no ledger is opened.
Result<report::Published> rehearse(const Job& job, const RunOptions& options, Planned planned) {
  CV_TRY(const std::unique_ptr<data::RecordSource> source, open_source(job));
  mechanisms::Draws draws =
      options.replay ? mechanisms::Draws::replayed(*options.replay) : mechanisms::Draws::seeded(*options.seed);
  CV_TRY(Estimate estimate, measured(job, planned, *source, draws, options));
  report::Published published = published_of(job, std::move(planned), std::move(estimate), draws.mark());
  tell(options, "writing");
  CV_CHECK(write_outputs(job, published));
  return published;
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

Result<report::Published> release(const Job& job, const RunOptions& options, OpenBudget& budget, Planned planned,
                                  data::RecordSource& source, ledger::Receipt receipt) {
  CV_TRY(mechanisms::Draws draws, mechanisms::Draws::authorised(std::move(receipt), planned.chosen.event));
  CV_TRY(Estimate estimate, measured(job, planned, source, draws, options));
  report::Published published = published_of(job, std::move(planned), std::move(estimate), draws.mark());
  published.debit = draws.debit();
  CV_TRY(const ledger::View after, budget.ledger.view(job.dataset));
  published.budget = budget_left(after);
  tell(options, "writing");
  CV_CHECK(budget.store.put(published.debit->id, report::to_json(published)));
  return published;
}

}  // namespace

Result<report::Published> run_job(const Job& job, const RunOptions& options) {
  if (options.seed && options.replay)
    return fail(ErrorKind::usage, "seed: a replay has its own random choices; leave --seed out");
  if (job.live.given && !options.rehearses())
    return fail(ErrorKind::usage, "live: this job publishes step by step; use chronoveil live, or leave [live] out");
  tell(options, "planning");
  CV_TRY(Planned planned, plan_job(job, Compare::when_needed));
  CV_CHECK(check_outputs(job));
  if (options.rehearses()) return rehearse(job, options, std::move(planned));

  CV_TRY(OpenBudget budget, open_budget(job, options.ledger));
  // Opened once: a pipe has no second beginning. Up to here no value has been looked at.
  CV_TRY(const std::unique_ptr<data::RecordSource> source, open_source(job));
  if (!options.confirmed) CV_CHECK(ask_before_second_debit(budget, job));
  CV_CHECK(budget.store.prepare());
  tell(options, "debiting");
  CV_TRY(ledger::Receipt receipt, reserve(budget, job, planned));
  const ledger::DebitId id = receipt.reference().id;
  if (options.note_debit) options.note_debit(id.text());

  Result<report::Published> published = release(job, options, budget, std::move(planned), *source, std::move(receipt));
  if (!published) {
    // Only says what became of the debit; it is spent whether or not this can be written.
    const Result<void> settled = budget.ledger.settle(id, ledger::State::abandoned);
    published.error().message += "; the debit " + id.text() + " stays spent";
    if (!settled) published.error().message += " and reserved";
    return published;
  }
  const std::string anew = "; the release is stored: run again with --again " + id.text() + ", at no cost";
  Result<void> done = budget.ledger.settle(id, ledger::State::released);
  if (done) done = write_outputs(job, *published);
  if (!done) return fail(done.error().kind, done.error().message + anew);
  return published;
}

Result<report::Published> run_again(const Job& job, const std::string& debit, const RunOptions& options) {
  if (options.rehearses())
    return fail(ErrorKind::usage, "again: a stored release draws nothing; leave --seed and replays out");
  CV_CHECK(check_outputs(job));
  CV_TRY(const ledger::DebitId id, ledger::DebitId::parse(debit));
  if (id.dataset != job.dataset)
    return invalid("again", debit, "it must be a debit of the job's dataset '" + job.dataset + "'");
  CV_TRY(OpenBudget budget, open_budget(job, options.ledger));
  CV_TRY(const std::vector<ledger::Debit> debits, budget.ledger.history(job.dataset));
  const auto found = std::find_if(debits.begin(), debits.end(), [&](const ledger::Debit& one) { return one.id == id; });
  if (found == debits.end())
    return invalid("again", debit, "it must be a debit that is in the ledger; see budget history");
  if (!is_of_job(*found, job)) return invalid("again", debit, "it must be a debit of this very job over this span");
  CV_TRY(const std::string text, budget.store.get(id));
  CV_TRY(report::Published published, report::from_json(text));
  if (!published.debit || !(published.debit->id == id) || published.debit->chain_head != found->chain_head)
    return fail(ErrorKind::storage, "again: the stored release '" + budget.store.path_of(id) +
                                        "' does not belong to the debit " + debit + " of this ledger");
  published.title = job.title.empty() ? published.title : job.title;
  // The run that stored it was killed before it could say so.
  if (found->state == ledger::State::reserved) CV_CHECK(budget.ledger.settle(id, ledger::State::released));
  CV_CHECK(write_outputs(job, published));
  return published;
}

}  // namespace chronoveil::engine
