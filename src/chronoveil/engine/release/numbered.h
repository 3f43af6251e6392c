// The order of order.h for what happens in numbered uses of one debit: the steps of a training, the questions of a live
// release. All uses are debited, composed, before the first; then each is recorded in the ledger, instead of one
// `drawing` for all, and a state is stored from which a later process goes on.
//
// No use may ever give two answers. There are two ways, and what the state costs decides between them.
//
//   recorded first   training (run_numbered). The state is as large as the model, so it is stored now and then
//     record         a crash costs the use: its number is spent, and nothing was drawn for it
//     draw           a crash costs the uses since the state was stored last. Their work is done again under other
//                    numbers, for which a plan has spare uses
//     store          when it is time; the next process goes on from here
//     Sound: a number is spent before its first bit, so nothing is drawn for it a second time. Needs no token: the
//     ledger records a use only for who knows how many there were, so of two processes one is refused before it draws.
//
//   stored first     live (NumberedRun). A question that is lost cannot be asked under another number
//     draw           a crash leaves nothing. The answers were in memory, and nobody has seen them: when their rows come
//                    again, the questions are asked for the first time
//     store          the answers, how many uses there were, and a token. A crash leaves a state ahead of the ledger
//     record         under that token, after a crash as well. Only now do answers leave, and always those stored
//     Sound: what is stored is never drawn anew, and nothing leaves before it is stored and recorded. Needs a token:
//     two processes that go on from copies of one state have other answers to the same questions. The ledger records
//     those of one; the other finds a token that is not its own, and stops.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "chronoveil/engine/release/order.h"

namespace chronoveil::engine {

// A debit of numbered uses at work. Methods that take a ledger take the one of the debit.
class NumberedRun {
 public:
  // Of a debit that was made before; of an unused one, unless it is resumed.
  explicit NumberedRun(ledger::DebitReference debit) : debit_(std::move(debit)) {}
  // Debits all uses of the ask. `note`, `live`: as for reserve_run.
  static Result<NumberedRun> debited(OpenBudget&, const Claim&, const Ask&, const ledger::BeforeSecond&,
                                     const std::function<void(const std::string&)>& note = {},
                                     const std::optional<ledger::LiveTag>& live = std::nullopt);
  const ledger::DebitReference& debit() const { return debit_; }

  // Learns what the ledger has recorded, for one process at a time.
  Result<void> resume(ledger::Ledger&);
  std::int64_t uses() const { return uses_; }          // reserved in all
  std::int64_t recorded() const { return recorded_; }  // used up, as the ledger has it
  const std::string& token() const { return token_; }  // of the last ones when it was resumed
  // What the uses that are left are drawn with. Refused if others were recorded than by this object, or before it was
  // resumed: two processes would answer the same question.
  Result<mechanisms::Draws> draws(ledger::Ledger&, const accounting::Event&);
  // Records that all uses below `used` are used up; nothing, if they are.
  Result<void> record_until(ledger::Ledger&, std::int64_t used, const std::string& token = "");

 private:
  ledger::DebitReference debit_;
  std::optional<ledger::Run> run_;  // as long as nothing was recorded after it was resumed
  std::int64_t uses_ = 0, recorded_ = 0;
  std::string token_;
};

// What is made in uses that are recorded first.
struct NumberedKind {
  Claim claim;
  // What an earlier process began and did not finish. Else there is a new debit, as by run_debited.
  std::optional<ledger::DebitId> unfinished;
  std::function<Result<void>(ledger::Ledger&)> check_replaces_other;
  ledger::BeforeSecond before_second;
  // Every error from here on names this debit.
  std::function<void(const ledger::DebitReference&)> debited;
  // Reads, and goes on from the stored state, if there is one. `used` of the `uses` are used up.
  std::function<Result<void>(std::int64_t used, std::int64_t uses)> begin;
  std::function<bool()> finished;
  std::function<Result<void>(std::int64_t number, DrawRight&)> use;
  // Stores the state if it is time, and after the last use.
  std::function<Result<void>(std::int64_t used, bool last)> keep;
  // Stores what was made, whole, never in place of another; its digest.
  std::function<Result<std::string>(std::int64_t used)> store;
};

// From the debit to the release that is stored and settled; whoever calls this writes it.
Result<void> run_numbered(const RunOptions&, OpenBudget&, const Ask&, const NumberedKind&);

}  // namespace chronoveil::engine
