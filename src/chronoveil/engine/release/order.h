// The one order in which anything is released. The order is the promise: what was planned from public facts is debited,
// and only then is data touched and the first bit drawn. What came out is stored before it is written anywhere, so that
// nothing that was paid for is lost. What happens over time, in numbered uses of one debit, keeps the same order, but
// for step 3: numbered.h. Only this folder makes debits, records what is drawn for them, and settles them.
//
// What a crash or an error leaves, after each step:
//   0. tell      nothing; whoever runs the job has heard what it costs
//   1. reserve   a debit, reserved. Nothing was drawn, and all that left is the error. The same job takes it up
//   2. read      the same. An error names a row and a column, never a value. That no row counts is an error, too.
//                Whoever runs the job learns that there is an error, as from `check`, which costs nothing. An error
//                does not depend on the key that the caps are enforced with, and a run that takes up the debit draws
//                another key. So a failed run tells nothing of the noise, or the sample, of the run that succeeds: its
//                release has the distribution that it would have had without the failed one
//   3. drawing   durable before the first bit that could reach an output (ledger/receipt.h). From here on the debit is
//                spent, whatever comes: a run that could be made again after bits were drawn would let its maker choose
//                among draws. In numbered uses: each is durable before anything of it leaves, and never drawn for twice
//   4. store     the release is whole in the store or not there, and never replaced
//   5. settle    released, with the digest of what is stored
//   6. write     the outputs: each whole or not there. --again writes the same ones from the store, at no cost
#pragma once

#include <exception>
#include <functional>
#include <new>
#include <string>
#include <utility>

#include "chronoveil/base/interrupt.h"
#include "chronoveil/engine/look/caps_from.h"
#include "chronoveil/engine/release/budget.h"
#include "chronoveil/engine/release/outputs.h"
#include "chronoveil/engine/release/run_options.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/report/document/digest.h"

namespace chronoveil::engine {

inline void tell(const RunOptions& options, std::string_view stage) {
  if (options.progress) options.progress(stage);
}

// How one kind of release is made and kept. `Published` has title, release.mark, debit and budget.
template <class Published>
struct ReleaseKind {
  // Opens the source and checks that its columns are there, without looking at a value. Once only: a pipe has no second
  // beginning.
  std::function<Result<void>()> open;
  // Reads, bounds, measures and describes; everything but debit and budget.
  std::function<Result<Published>(mechanisms::Draws&)> make;
  // The release JSON.
  std::string (*document)(const Published&) = nullptr;
  // What is stored of it. If absent, nothing is stored or can be emitted anew: what left as a stream is gone.
  std::string (*to_store)(const Published&, const std::string& document) = nullptr;
  Result<Published> (*from_store)(std::string_view) = nullptr;
  // The release JSON exactly as stored: another version of this program might write it differently, and the digest in
  // the ledger would not match.
  Result<std::string> (*document_in)(std::string_view stored) = nullptr;
  std::function<Result<void>(const Published&, const std::string& document)> write;
  // Refuses, where a release is emitted anew, outputs that are of a later debit; if absent, none.
  std::function<Result<void>(const ledger::Debit&, ledger::Ledger&)> check_replaces;
  // Refuses, before a debit that is not confirmed, outputs that are of another release; if absent, none.
  std::function<Result<void>(ledger::Ledger&)> check_replaces_other;
  // Whether a part of it is out although it failed; if absent, never.
  std::function<bool()> left_in_part;
  // Opens the ledger in the name of the release.
  std::function<Result<OpenBudget>()> open_budget;
  Claim claim;
  std::string caps_from;         // as in the job
  std::string title;             // of the documents; empty: their own
  std::string before_next_time;  // how to find bad rows before a debit
};

// How bad rows of the job can be found before a debit.
std::string how_to_read_before(const Job&);

// In the name of a job whose relation is decided by the plan. The kind keeps references to all three.
template <class Published>
Result<void> claim_for(const Job& job, Relation relation, const RunOptions& options, ReleaseKind<Published>& kind) {
  CV_TRY(kind.claim, claim_of(job, relation));
  kind.caps_from = job.caps_from;
  kind.title = job.title;
  kind.check_replaces = [&job](const ledger::Debit& debit, ledger::Ledger& ledger) {
    return check_replaces_no_later(job, debit, ledger);
  };
  kind.check_replaces_other = [&job, &kind](ledger::Ledger& ledger) {
    return check_replaces_no_other(job, kind.claim.digest, kind.claim.facts, ledger);
  };
  kind.before_next_time = how_to_read_before(job);
  kind.open_budget = [&job, &options, &kind]() -> Result<OpenBudget> {
    CV_TRY(OpenBudget budget, engine::open_budget(job, kind.claim, options.ledger));
    CV_TRY(kind.claim, as_known(budget, std::move(kind.claim)));
    return budget;
  };
  return {};
}

// For kinds that store their document and nothing else.
template <class Published>
std::string document_itself(const Published&, const std::string& document) {
  return document;
}
inline Result<std::string> itself(std::string_view stored) { return std::string(stored); }
template <class Published>
ReleaseKind<Published> kind_of_document(std::string (*write)(const Published&),
                                        Result<Published> (*read)(std::string_view)) {
  ReleaseKind<Published> kind;
  kind.document = write;
  kind.to_store = document_itself;
  kind.from_store = read;
  kind.document_in = itself;
  return kind;
}

// The document with the title that the job gives it, if any.
std::string with_title(const std::string& document, const std::string& title);

Result<void> check_rehearsal(const RunOptions&);
// Decides about a second debit; the ledger calls it inside the transaction that would make one. `budget` must outlive
// it.
ledger::BeforeSecond before_second_debit(const OpenBudget& budget, const RunOptions&);
// The debit that `--again` names, once it is sure to be of the same job.
Result<ledger::Debit> debit_of_job(OpenBudget&, const Claim&, const std::string& debit);
// Tells what the debit will cost, if there is anybody to tell; an error refuses it. Refuses what the budget does not
// admit.
Result<void> tell_cost(OpenBudget&, const Claim&, const Ask&, const std::function<Result<void>(const DebitAhead&)>& to);
// What precedes every debit: outputs of another release are refused (unless confirmed), and RunOptions::before_debit is
// told the cost, unless no debit would be made: one is taken up, or a second one is refused.
Result<void> about_to_debit(OpenBudget&, const Claim&, const Ask&, const RunOptions&,
                            const std::function<Result<void>(ledger::Ledger&)>& check_replaces_other);
// Step 5. `digest`: of what is stored, which ties it to its debit. Nothing is given back.
Result<void> settle_released(ledger::Ledger&, const ledger::DebitId&,
                             const std::optional<std::string>& digest = std::nullopt);
// An error where no row counts. A release would then tell nobody anything, at full price: so it is found before the
// first bit of noise, while the debit can be taken up by the next run.
Result<void> check_not_empty(std::int64_t counted, bool allowed);
// An error where the plan says that no interval would tell anything.
Result<void> check_tells_something(const std::string& tells_nothing, const RunOptions&);
// What an error says of the debit that was made before it.
std::string what_became_of(const ledger::DebitId&, mechanisms::Draws::Begun);
// A number that the ledger gave twice, because it lost rows, is found before data is touched.
Result<void> check_not_stored(const OpenBudget&, const ledger::DebitId&);
// An error from an exception: after a debit it must say what became of it, like any other error.
Failure from_exception(const char* what);
Failure out_of_memory();

// Calls `work` and turns whatever it throws into an error.
template <class Work>
auto caught(const Work& work) -> decltype(work()) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return out_of_memory();
  } catch (const std::exception& thrown) {
    return from_exception(thrown.what());
  }
}

// Not private, so nothing is debited and no ledger is opened.
template <class Published>
Result<Published> rehearse(const RunOptions& options, const ReleaseKind<Published>& kind) {
  CV_CHECK(kind.open());
  mechanisms::Draws draws =
      options.replay ? mechanisms::Draws::replayed(*options.replay) : mechanisms::Draws::seeded(*options.seed);
  CV_TRY(Published published, kind.make(draws));
  tell(options, "writing");
  CV_CHECK(kind.write(published, kind.document(published)));
  return published;
}

// A release, and what ties it to its debit, once it is stored.
template <class Published>
struct Stored {
  Published published;
  std::string document;
  std::optional<std::string> digest;  // empty if it is not stored
};

template <class Published>
Result<Stored<Published>> make_and_store(const RunOptions& options, OpenBudget& budget, mechanisms::Draws& draws,
                                         const ReleaseKind<Published>& kind) {
  CV_CHECK(check_not_stored(budget, draws.debit()->id));
  CV_TRY(Published published, kind.make(draws));
  if constexpr (requires { published.release.guarantee; })
    say_caps_of_look(budget.caps, kind.caps_from, published.release.guarantee.assumptions);
  published.debit = draws.debit();
  CV_TRY(const ledger::View after, budget.ledger.view(kind.claim.dataset));
  published.budget = budget_left(after);
  tell(options, "writing");
  Stored<Published> stored{std::move(published), "", std::nullopt};
  stored.document = kind.document(stored.published);
  if (kind.to_store) {
    CV_TRY(stored.digest, report::release_digest(stored.document));
    CV_CHECK(budget.store.put(stored.published.debit->id, kind.to_store(stored.published, stored.document)));
  }
  return stored;
}

// An error after the debit says what became of it. What is not private (a seed, a replay) touches no ledger.
template <class Published>
Result<Published> run_debited(const RunOptions& options, const Ask& ask, const ReleaseKind<Published>& kind) {
  if (options.rehearses()) return rehearse(options, kind);
  CV_TRY(OpenBudget budget, kind.open_budget());
  CV_CHECK(kind.open());
  CV_CHECK(budget.store.prepare());
  CV_CHECK(about_to_debit(budget, kind.claim, ask, options, kind.check_replaces_other));
  CV_TRY(ledger::Receipt receipt,
         reserve(budget, kind.claim, ask, before_second_debit(budget, options), options.note_programme));
  const ledger::DebitId id = receipt.reference().id;
  if (options.note_debit) options.note_debit(id.text());
  const bool taken_up = receipt.taken_up();
  CV_TRY(mechanisms::Draws draws, mechanisms::Draws::authorised(std::move(receipt), ask.event));
  if (options.note_drawing) draws.tell_when_begun([&] { options.note_drawing(id.text()); });
  Result<Stored<Published>> made = caught([&] { return make_and_store(options, budget, draws, kind); });
  const Interruptible undisturbed(nullptr);  // what was made, or failed, is recorded, and written if it was made
  if (!made) {
    made.error().message += what_became_of(id, draws.begun());
    if (draws.begun() == mechanisms::Draws::Begun::no && made.error().kind == ErrorKind::bad_data)
      made.error().message += "; " + kind.before_next_time;
    if (draws.begun() == mechanisms::Draws::Begun::yes) {
      // This only records what became of the debit, which is spent whether or not the record can be written.
      const bool out = kind.left_in_part && kind.left_in_part();
      if (!budget.ledger.settle(id, out ? ledger::State::released : ledger::State::abandoned))
        made.error().message += ", and the ledger could not be told what became of it";
    }
    return tl::unexpected(std::move(made.error()));
  }
  const std::string anew = kind.to_store
                               ? "; the release is stored: run again with `run.again = " + id.text() + "`, at no cost"
                               : "; the debit " + id.text() + " stays spent";
  Result<void> done = caught([&]() -> Result<void> {
    CV_CHECK(settle_released(budget.ledger, id, made->digest));
    if (options.note_released) options.note_released(id.text(), kind.to_store != nullptr);
    if (taken_up && options.note_taken_up) options.note_taken_up(id.text());
    return kind.write(made->published, made->document);
  });
  if (!done) {
    done.error().message += anew;
    return tl::unexpected(std::move(done.error()));
  }
  if (made->published.budget && !id.slot)
    if (Result<ledger::Room> room = room_for(budget, kind.claim, ask)) made->published.budget->room = *std::move(room);
  if (made->published.budget && id.slot)
    if (auto use = programme_use(budget.ledger, id)) made->published.budget->programme = *std::move(use);
  return std::move(made->published);
}

// Emits a stored release anew: no debit, no data.
// A run that was killed between store and settle is settled here, with the digest of what is stored. That is sound:
// whoever can write to the store now could have done so before the kill, and a release that was settled with a digest
// must match it. Nothing is drawn, so the debit still covers one draw. A debit for which the ledger knows of no draw is
// refused, since no release of it can be stored.
template <class Published>
Result<Published> emit_again(const std::string& debit, const RunOptions& options, const ReleaseKind<Published>& kind) {
  if (options.rehearses())
    return fail(ErrorKind::usage, "run.again", "a stored release draws nothing; leave `run.seed` and replays out");
  CV_TRY(OpenBudget budget, kind.open_budget());
  CV_TRY(const ledger::Debit found, debit_of_job(budget, kind.claim, debit));
  if (kind.check_replaces) CV_CHECK(kind.check_replaces(found, budget.ledger));
  CV_TRY(const std::string text, budget.store.get(found.id));
  CV_TRY(Published published, kind.from_store(text));
  CV_TRY(const std::string document, kind.document_in(text));
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorKind::storage, "run.again", "the stored release '" + budget.store.path_of(found.id) + "' " + why);
  };
  if (!published.debit || !(published.debit->id == found.id) || published.debit->chain_head != found.chain_head)
    return refuse("does not belong to the debit " + debit + " of this ledger");
  CV_TRY(const std::string digest, report::release_digest(document));
  if (found.digest && *found.digest != digest) return refuse("was changed: it does not match the digest in the ledger");
  if (!kind.title.empty()) published.title = kind.title;
  if (found.state == ledger::State::abandoned) return refuse("is of a debit that was abandoned");
  if (found.state != ledger::State::released) CV_CHECK(settle_released(budget.ledger, found.id, digest));
  CV_CHECK(kind.write(published, with_title(document, kind.title)));
  return published;
}

}  // namespace chronoveil::engine
