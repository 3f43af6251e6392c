#include "chronoveil/engine/release/order.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "chronoveil/mechanisms/draws.h"

namespace chronoveil::engine {

std::string with_title(const std::string& document, const std::string& title) {
  if (title.empty()) return document;
  nlohmann::ordered_json all = nlohmann::ordered_json::parse(document, nullptr, false);
  if (!all.is_object() || !all.contains("title") || all["title"] == title) return document;
  all["title"] = title;
  return all.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result<void> check_rehearsal(const RunOptions& options) {
  if (options.seed && options.replay)
    return fail(ErrorKind::usage, "run.seed", "a replay has its own random choices; leave `run.seed` out");
  return {};
}

ledger::BeforeSecond before_second_debit(const OpenBudget& budget, const RunOptions& options) {
  if (options.confirmed) return {};
  return [&budget](const ledger::DebitId& earlier, ledger::State state) -> Result<void> {
    const std::string id = earlier.text();
    std::string message = "this job over this span was debited before, as " + id + " (" +
                          std::string(ledger::name(state)) + "); `run.yes` debits it a second time";
    if (budget.store.has(earlier))
      message += ", `run.again = " + id + "` emits its stored release anew at no cost";
    else if (state == ledger::State::drawing)
      message += "; a process may be at work on it";
    else if (state == ledger::State::reserved)
      message += "; it is not used, since its terms are different or it came out of a backup";
    return fail(ErrorKind::usage, message);
  };
}

Result<void> tell_cost(OpenBudget& budget, const Claim& claim, const Ask& ask,
                       const std::function<Result<void>(const DebitAhead&)>& to) {
  CV_TRY(const ledger::Cost cost, check_debit(budget, claim, ask));
  if (!to) return {};
  return to({budget.view.dataset, cost, cost.left_of(budget.view.left)});
}

Result<void> about_to_debit(OpenBudget& budget, const Claim& claim, const Ask& ask, const RunOptions& options,
                            const std::function<Result<void>(ledger::Ledger&)>& check_replaces_other) {
  if (check_replaces_other && !options.confirmed) CV_CHECK(check_replaces_other(budget.ledger));
  if (options.before_debit) {
    CV_TRY(const std::optional<EarlierDebit> earlier, earlier_debit(budget, claim, ask));
    const bool none_is_made = earlier && (earlier->taken_up || !options.confirmed);
    if (!none_is_made) CV_CHECK(tell_cost(budget, claim, ask, options.before_debit));
  }
  tell(options, "debiting");
  return {};
}

Result<void> settle_released(ledger::Ledger& ledger, const ledger::DebitId& id,
                             const std::optional<std::string>& digest) {
  return ledger.settle(id, ledger::State::released, digest);
}

Result<void> check_not_empty(std::int64_t counted, bool allowed) {
  if (counted > 0 || allowed) return {};
  return fail(ErrorKind::bad_data,
              "no row of the data counts: each is outside the span or of a key that is not listed, or there is none; "
              "`run.allow_empty` makes a release all the same, and a job of another span or other keys has a debit of "
              "its own");
}

Result<void> check_tells_something(const std::string& tells_nothing, const RunOptions& options) {
  if (tells_nothing.empty() || options.allow_uninformative || options.rehearses()) return {};
  return fail(ErrorKind::usage, "privacy.epsilon",
              tells_nothing + "; `run.allow_uninformative` releases it all the same");
}

std::string how_to_read_before(const Job& job) {
  const std::string changed =
      "; mend the data, or `source.time_format`, which leaves the debit as it is if it was and is a usual one: a job "
      "that is changed in anything else has one of its own";
  if (rows_can_be_checked(job)) return "chronoveil check reads every row beforehand" + changed;
  return "rows from standard input or a pipe can be read only once; put them into a file, and chronoveil check reads "
         "every row beforehand" +
         changed;
}

std::string what_became_of(const ledger::DebitId& id, mechanisms::Draws::Begun begun) {
  switch (begun) {
    case mechanisms::Draws::Begun::no:
      return "; the budget is reserved, not lost: run the same job again to use the debit " + id.text() +
             ", for which nothing was drawn, at no further cost";
    case mechanisms::Draws::Begun::by_another:
      return "; `run.again = " + id.text() + "` emits its release, once it is stored";
    case mechanisms::Draws::Begun::unknown:
      return "; the debit " + id.text() +
             " is made, and nothing was drawn for it; run the same job again to use it, unless the ledger shows it as "
             "drawing (chronoveil budget history " +
             id.dataset + ")";
    case mechanisms::Draws::Begun::refused:
    case mechanisms::Draws::Begun::yes: break;
  }
  return "; the debit " + id.text() + " stays spent";
}

Failure from_exception(const char* what) { return fail(ErrorKind::internal, std::string("internal error: ") + what); }
Failure out_of_memory() { return fail(ErrorKind::storage, "not enough memory"); }

Result<void> check_not_stored(const OpenBudget& budget, const ledger::DebitId& id) {
  if (!budget.store.has(id)) return {};
  return fail(ErrorKind::storage, "ledger",
              "a release of the debit " + id.text() + " is stored already, in '" + budget.store.path_of(id) +
                  "': the ledger has lost rows and gave this number a second time; put back the "
                  "latest ledger");
}

Result<ledger::Debit> debit_of_job(OpenBudget& budget, const Claim& claim, const std::string& debit) {
  auto parsed = ledger::DebitId::parse(debit);
  if (!parsed) return invalid("run.again", parsed.error().value, parsed.error().valid);
  const ledger::DebitId& id = *parsed;
  if (id.dataset != claim.dataset)
    return invalid("run.again", debit, "it must be a debit of the job's dataset '" + claim.dataset + "'");
  CV_TRY(const std::vector<ledger::Debit> debits, budget.ledger.history(claim.dataset));
  const auto row = std::find_if(debits.begin(), debits.end(),
                                [&](const ledger::Debit& one) { return one.id.sequence == id.sequence; });
  std::optional<ledger::Debit> found;
  if (row != debits.end()) found = id.slot ? ledger::slot_as_debit(*row, *id.slot) : *row;
  if (!found) return invalid("run.again", debit, "it must be a debit that is in the ledger; see budget history");
  CV_TRY(const Claim known, as_known(budget, claim));
  if (found->terms.job != claim.digest && found->terms.job != known.digest)
    return invalid("run.again", debit, "it must be a debit of this very job over this span");
  return *found;
}

}  // namespace chronoveil::engine
