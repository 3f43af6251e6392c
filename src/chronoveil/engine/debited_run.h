// The one order in which anything is released. The order is the promise: what was planned from public facts is debited,
// and only then is data touched and the first bit drawn. What came out is stored before it is written anywhere, so that
// nothing that was paid for is lost.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "chronoveil/engine/budget.h"
#include "chronoveil/engine/engine.h"
#include "chronoveil/engine/reading.h"

namespace chronoveil::engine {

inline void tell(const RunOptions& options, std::string_view stage) {
  if (options.progress) options.progress(stage);
}

// How one kind of release is made and kept. `Published` has title, release.mark, debit and budget.
template <class Published>
struct ReleaseKind {
  // Opens what is read and sees that its columns are there. Opened once: a pipe has no second beginning. No value is
  // looked at.
  std::function<Result<void>()> open;
  // Reads, bounds, measures and says what it is; everything but debit and budget.
  std::function<Result<Published>(mechanisms::Draws&)> make;
  // Without it nothing is stored, and nothing can be emitted anew: what left as a stream is gone.
  std::string (*to_json)(const Published&) = nullptr;
  Result<Published> (*from_json)(std::string_view) = nullptr;
  Result<void> (*write)(const Job&, const Published&) = nullptr;
  // Whether a part of it is out already although it could not be made whole; without it never.
  std::function<bool()> left_in_part;
};

Result<void> check_rehearsal(const RunOptions&);
Result<void> ask_before_second_debit(OpenBudget&, const Job&);
// The debit that `--again` names, once it is sure to be of this very job.
Result<ledger::Debit> debit_of_job(OpenBudget&, const Job&, const std::string& debit);

// Not private, so nothing is debited and no ledger is opened.
template <class Published>
Result<Published> rehearse(const Job& job, const RunOptions& options, const ReleaseKind<Published>& kind) {
  CV_CHECK(kind.open());
  mechanisms::Draws draws =
      options.replay ? mechanisms::Draws::replayed(*options.replay) : mechanisms::Draws::seeded(*options.seed);
  CV_TRY(Published published, kind.make(draws));
  tell(options, "writing");
  CV_CHECK(kind.write(job, published));
  return published;
}

template <class Published>
Result<Published> release(const Job& job, const RunOptions& options, OpenBudget& budget, const Ask& ask,
                          ledger::Receipt receipt, const ReleaseKind<Published>& kind) {
  CV_TRY(mechanisms::Draws draws, mechanisms::Draws::authorised(std::move(receipt), ask.event));
  CV_TRY(Published published, kind.make(draws));
  published.debit = draws.debit();
  CV_TRY(const ledger::View after, budget.ledger.view(job.dataset));
  published.budget = budget_left(after);
  tell(options, "writing");
  if (kind.to_json) CV_CHECK(budget.store.put(published.debit->id, kind.to_json(published)));
  return published;
}

// An error after the debit says that it stays spent. What is not private (a seed, a replay) touches no ledger.
template <class Published>
Result<Published> run_debited(const Job& job, const RunOptions& options, const Ask& ask,
                              const ReleaseKind<Published>& kind) {
  if (options.rehearses()) return rehearse(job, options, kind);
  CV_TRY(OpenBudget budget, open_budget(job, options.ledger));
  CV_CHECK(kind.open());
  if (!options.confirmed) CV_CHECK(ask_before_second_debit(budget, job));
  CV_CHECK(budget.store.prepare());
  tell(options, "debiting");
  CV_TRY(ledger::Receipt receipt, reserve(budget, job, ask));
  const ledger::DebitId id = receipt.reference().id;
  if (options.note_debit) options.note_debit(id.text());

  Result<Published> published = release(job, options, budget, ask, std::move(receipt), kind);
  if (!published) {
    // Only says what became of the debit; it is spent whether or not this can be written.
    const bool out = kind.left_in_part && kind.left_in_part();
    const Result<void> settled = budget.ledger.settle(id, out ? ledger::State::released : ledger::State::abandoned);
    published.error().message += "; the debit " + id.text() + " stays spent";
    if (!settled) published.error().message += " and reserved";
    return published;
  }
  const std::string anew =
      kind.to_json ? "; the release is stored: run again with --again " + id.text() + ", at no cost" : std::string();
  Result<void> done = budget.ledger.settle(id, ledger::State::released);
  if (done) done = kind.write(job, *published);
  if (!done) return fail(done.error().kind, done.error().message + anew);
  return published;
}

// Emits a stored release anew: no debit, no data.
template <class Published>
Result<Published> emit_again(const Job& job, const std::string& debit, const RunOptions& options,
                             const ReleaseKind<Published>& kind) {
  if (options.rehearses())
    return fail(ErrorKind::usage, "again: a stored release draws nothing; leave --seed and replays out");
  CV_TRY(OpenBudget budget, open_budget(job, options.ledger));
  CV_TRY(const ledger::Debit found, debit_of_job(budget, job, debit));
  CV_TRY(const std::string text, budget.store.get(found.id));
  CV_TRY(Published published, kind.from_json(text));
  if (!published.debit || !(published.debit->id == found.id) || published.debit->chain_head != found.chain_head)
    return fail(ErrorKind::storage, "again: the stored release '" + budget.store.path_of(found.id) +
                                        "' does not belong to the debit " + debit + " of this ledger");
  published.title = job.title.empty() ? published.title : job.title;
  // The run that stored it was killed before it could say so.
  if (found.state == ledger::State::reserved) CV_CHECK(budget.ledger.settle(found.id, ledger::State::released));
  CV_CHECK(kind.write(job, published));
  return published;
}

}  // namespace chronoveil::engine
