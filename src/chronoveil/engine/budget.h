// A job and the ledger: what it would debit, whether it was debited before, what is left.
#pragma once

#include <optional>
#include <string>

#include "chronoveil/engine/engine.h"
#include "chronoveil/engine/release_store.h"
#include "chronoveil/ledger/ledger.h"
#include "chronoveil/report/published.h"

namespace chronoveil::engine {

// Where the ledger is: as given, or the user's own when empty.
Result<std::string> ledger_place(const std::string& given);

// The smallest share of a coordinate of the filter that is left, in [0, 1].
double share_left(const ledger::View&);
// "a gaussian with noise_multiplier >= 4.7, or a pure event with epsilon <= 0.5", or "nothing".
std::string still_admits(const ledger::View&);
report::BudgetLeft budget_left(const ledger::View&);

// The ledger of a run, open, with the job's dataset in it.
struct OpenBudget {
  std::string place;
  ledger::Ledger ledger;
  ReleaseStore store;
  ledger::View view;
};
// Refused: a dataset that is not there (the error shows the command that creates it), and a job whose unit or relation
// does not cover what the dataset promises.
Result<OpenBudget> open_budget(const Job&, const std::string& ledger);

// What the job debits: its mechanism's event at its unit and relation. Where the filter adds up ε and δ, at the job's
// δ.
ledger::Terms terms_of(const Job&, const mechanisms::SeriesPlan&, const ledger::Dataset&);

// The debit of the job, tried (check) or made (reserve). When the budget does not admit it, the error also says which
// privacy.epsilon it would admit for the same mechanism, found by looking at plans alone.
Result<ledger::Cost> check_debit(OpenBudget&, const Job&, const Planned&);
Result<ledger::Receipt> reserve(OpenBudget&, const Job&, const Planned&);

// The same for a release that happens over time; `tag` is how its debit is found again.
Result<ledger::DebitReference> reserve_run(OpenBudget&, const Job&, const Planned&, const std::string& tag);

// The last debit of the same job, recognised by the digest in its text.
Result<std::optional<EarlierDebit>> earlier_debit(OpenBudget&, const Job&);
bool is_of_job(const ledger::Debit&, const Job&);

}  // namespace chronoveil::engine
