// A job and the ledger: what it would debit, whether it was debited before, what is left.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "chronoveil/base/units.h"
#include "chronoveil/engine/release/audit.h"
#include "chronoveil/engine/release/checked_job.h"
#include "chronoveil/engine/release/store.h"
#include "chronoveil/report/series/published.h"

namespace chronoveil::engine {

report::BudgetLeft budget_left(const ledger::View&);

// In whose name a ledger is asked: what of a job, or of a forecast from a private history, matters to a budget.
struct Claim {
  std::string dataset, purpose;
  std::string span;    // "START..END"; empty: none
  std::string digest;  // tells this job from others
  Unit unit = Unit::user;
  Relation relation = Relation::add_remove;
  std::int64_t width = 1;                 // steps in a row of a w-event, or the window within which a swap is hidden
  std::optional<std::int64_t> max_steps;  // of one person
  Epsilon epsilon = Epsilon::make(0).value();
  Delta delta = Delta::make(0).value();
  enum class Of { counts, means, steps } of = Of::counts;  // steps: values of steps whose times are public
  Facts facts = {};  // of the job, by which a programme finds its slot; empty: it never has one
};
// Errors: a privacy.epsilon or privacy.delta that is none.
Result<Claim> claim_of(const Job&);
// Of a kind whose mechanism decides the relation.
Result<Claim> claim_of(Job, Relation);

// What such a budget does not hide, which its owner should know before creating it; or empty.
std::string not_hidden_by(const Claim&);

// The command that creates the dataset of a claim, with room for it twice. `ledger` may be empty.
std::string create_command(const Claim&, const std::string& ledger);
std::string create_command(const Claim&, double epsilon, double delta, const std::string& ledger);

// The ledger of a run, open, with the job's dataset in it.
struct OpenBudget {
  std::string place;
  ledger::Ledger ledger;
  ReleaseStore store;
  ledger::View view;
  std::optional<Assumption> caps;  // what the release says of caps that a look chose
};
// Refused: a dataset that is not there (the error shows the command that creates it), and a claim whose unit or
// relation does not cover what the dataset promises.
// `but`: as in check_witnesses.
Result<OpenBudget> open_budget(const Claim&, const std::string& ledger, const std::string& but = "");
// The same, once no output of the job would replace the ledger or anything beside it. Refused, too: a job whose caps
// are of a look that the ledger does not have.
Result<OpenBudget> open_budget(const Job&, const Claim&, const std::string& ledger, const std::string& but = "");

// The claim, with the digest under which the ledger knows its job: if there is no debit of the job itself, that of a
// job which differs from it in nothing but `source.time_format`. So a debit for which nothing was drawn, since no row
// could be read, serves the job with the right format, too. What only asks does so in this name. Who debits calls this
// when the budget is opened, once, so that folder and debit are of one name.
//   Why it holds   The debit pays for one draw of its event, under its terms. The ledger hands it out, once, if event
//                  and terms are the same and nothing was drawn; how rows are read is no part of them. A format is as
//                  public as the rest of the job, and caps are enforced on rows as the one run that draws reads them
//   Edges          Only the usual formats are tried, as a ledger has digests alone. A debit of such a job that was
//                  drawn from counts as an earlier one of this job: a second one is asked for
Result<Claim> as_known(OpenBudget&, Claim);

// What a ledger calls the mechanism of a look.
inline constexpr std::string_view kLook = "look";

// What a plan asks of a ledger.
struct Ask {
  std::string what;  // "series release"
  std::string mechanism;
  accounting::Event event;
  double delta = 0;                                        // at which it is priced where the filter adds up ε and δ
  ledger::Eviction eviction = ledger::Eviction::possible;  // by the caps of the job
  // The same at another ε, to find one that would fit.
  std::function<Result<Ask>(double epsilon)> at_epsilon = {};
  std::string noise = "";                      // what is drawn, for people: "laplace of scale 12.5"
  std::optional<double> error = std::nullopt;  // expected, absolute, of one value, by the noise alone; empty: unknown
  std::optional<std::int64_t> uses = std::nullopt;  // of what happens over time, in numbered uses
};
// What a mechanism's plan asks, as `ask` tells it. At another ε, the same mechanism plans what was requested.
template <class Mechanism, class Plan, class Request>
Ask ask_for(const Plan& chosen, Request request, Result<const Mechanism*> (*find)(std::string_view),
            std::function<Ask(const Plan&)> ask) {
  Ask asked = ask(chosen);
  asked.at_epsilon = [request = std::move(request), find, ask = std::move(ask),
                      name = chosen.mechanism](double epsilon) mutable -> Result<Ask> {
    CV_TRY(const Mechanism* mechanism, find(name));
    request.epsilon = epsilon;
    CV_TRY(const Plan plan, mechanism->prepare(request));
    return ask(plan);
  };
  return asked;
}
// "laplace of scale 12.5"
std::string noise_text(NoiseKind, double scale);

// The debit of the job, tried (check) or made (reserve): the event at the job's unit and relation. When the budget does
// not admit it, the error also says which privacy.epsilon it would admit for the same mechanism, found by looking at
// plans alone.
// reserve takes up a debit of the same job for which nothing was drawn; if the job has another debit, `before_second`
// decides, in the transaction that would make the second.
Result<ledger::Cost> check_debit(OpenBudget&, const Claim&, const Ask&);
// What that debit takes of the budget, and how many of it would fit.
Result<ledger::Room> room_for(OpenBudget&, const Claim&, const Ask&);
// What a ledger says of a debit that is not made: its cost, another one of the same job, and how many would fit.
struct DebitAsked {
  ledger::Cost cost;
  std::optional<EarlierDebit> earlier;
  ledger::Room room;
};
Result<DebitAsked> ask_ledger(OpenBudget&, const Claim&, const Ask&);
// A job of a programme runs in its slot, which is paid for, and `note` is told so; it is also told where a dataset with
// a programme makes an ordinary debit.
Result<ledger::Receipt> reserve(OpenBudget&, const Claim&, const Ask&, const ledger::BeforeSecond& before_second,
                                const std::function<void(const std::string&)>& note = {});

// The same for what happens over time, in numbered uses. `live`, where given, is how the debit of a live release is
// found again; such a release has no slots.
Result<ledger::Reservation> reserve_run(OpenBudget&, const Claim&, const Ask&,
                                        const ledger::BeforeSecond& before_second,
                                        const std::function<void(const std::string&)>& note = {},
                                        const std::optional<ledger::LiveTag>& live = std::nullopt);

// How much of its programme was used, if the debit is a slot of one.
Result<std::optional<report::ProgrammeUse>> programme_use(ledger::Ledger&, const ledger::DebitId&);

// What a debit for slots says of a job in it.
ledger::Terms slot_terms_of(const Claim&, const Ask&, const ledger::Dataset&);

// The last debit of the same job, or the slot of a programme that it would run in.
Result<std::optional<EarlierDebit>> earlier_debit(OpenBudget&, const Claim&, const Ask&);

}  // namespace chronoveil::engine
