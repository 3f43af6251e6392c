#include "chronoveil/engine/release/numbered.h"

#include <utility>

namespace chronoveil::engine {

Result<NumberedRun> NumberedRun::debited(OpenBudget& budget, const Claim& claim, const Ask& ask,
                                         const ledger::BeforeSecond& before_second,
                                         const std::function<void(const std::string&)>& note,
                                         const std::optional<ledger::LiveTag>& live) {
  CV_TRY(ledger::Reservation made, reserve_run(budget, claim, ask, before_second, note, live));
  return NumberedRun(std::move(made));
}

Result<void> NumberedRun::resume(ledger::Ledger& ledger) {
  CV_TRY(ledger::Run run, ledger.resume_run(debit_.id));
  debit_ = run.reference();
  uses_ = run.uses();
  recorded_ = run.used();
  token_ = run.token();
  run_.emplace(std::move(run));
  return {};
}

Result<mechanisms::Draws> NumberedRun::draws(ledger::Ledger& ledger, const accounting::Event& event) {
  if (!run_) {
    // What this process has recorded; anything else is another's, which has gone on from a copy of the state.
    const std::int64_t recorded = recorded_;
    const std::string token = token_;
    CV_CHECK(resume(ledger));
    if (recorded_ != recorded || token_ != token)
      return fail(ErrorKind::storage, "ledger",
                  "another process has gone on with the debit " + debit_.id.text() + "; only one may");
  }
  Result<mechanisms::Draws> draws = mechanisms::Draws::continued(*std::move(run_), event);
  run_.reset();
  return draws;
}

Result<void> NumberedRun::record_until(ledger::Ledger& ledger, std::int64_t used, const std::string& token) {
  if (used <= recorded_) return {};
  run_.reset();
  CV_CHECK(ledger.use_run(debit_.id, recorded_, used - recorded_, token));
  recorded_ = used;
  token_ = token;
  return {};
}

namespace {

Result<NumberedRun> begun(const RunOptions& options, OpenBudget& budget, const Ask& ask, const NumberedKind& kind) {
  if (kind.unfinished) {
    NumberedRun run({*kind.unfinished, ""});
    CV_CHECK(run.resume(budget.ledger));
    return run;
  }
  CV_CHECK(about_to_debit(budget, kind.claim, ask, options, kind.check_replaces_other));
  return NumberedRun::debited(budget, kind.claim, ask, kind.before_second, options.note_programme);
}

}  // namespace

Result<void> run_numbered(const RunOptions& options, OpenBudget& budget, const Ask& ask, const NumberedKind& kind) {
  CV_TRY(NumberedRun run, begun(options, budget, ask, kind));
  kind.debited(run.debit());
  if (options.note_debit) options.note_debit(run.debit().id.text());
  CV_TRY(mechanisms::Draws draws, run.draws(budget.ledger, ask.event));
  kind.debited(*draws.debit());
  CV_CHECK(kind.begin(draws.used(), run.uses()));
  CV_CHECK(draws.start(ask.event));
  while (!kind.finished() && draws.used() < run.uses()) {
    const std::int64_t number = draws.used();
    CV_CHECK(run.record_until(budget.ledger, number + 1));
    CV_CHECK(draws.use());
    CV_CHECK(kind.use(number, draws.right()));
    CV_CHECK(kind.keep(draws.used(), kind.finished() || draws.used() == run.uses()));
  }
  draws.finish();
  CV_TRY(const std::string digest, kind.store(draws.used()));
  CV_CHECK(settle_released(budget.ledger, run.debit().id, digest));
  if (options.note_released) options.note_released(run.debit().id.text(), true);
  return {};
}

}  // namespace chronoveil::engine
