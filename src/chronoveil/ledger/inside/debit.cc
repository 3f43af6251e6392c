#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/base/version.h"
#include "chronoveil/ledger/filters/pricing.h"
#include "chronoveil/ledger/inside/inside.h"

namespace chronoveil::ledger {

using accounting::Event;

namespace {

bool covers(const Cost& charged, const Cost& price) {
  if (charged.values.size() != price.values.size()) return false;
  for (std::size_t i = 0; i < price.values.size(); ++i)
    if (charged.values[i] < price.values[i]) return false;
  return charged.delta >= price.delta;
}

}  // namespace

// What a request is charged: its price under the filter, or everything when it is the first and keeps the whole
// (ε, δ) alone.
Result<Ledger::Inside::Admission> Ledger::Inside::admission_of(const Account& account, const std::string& period,
                                                               const Terms& terms, const Event& event,
                                                               const Cost& cost) {
  CV_TRY(const bool has, account.has_room(period, terms.part, cost));
  if (has) return Admission{cost, false};
  CV_TRY(const bool untouched, account.is_untouched(period, terms.part));
  if (untouched) {
    const Result<bool> alone = fills_at_most_all(account.dataset(), terms, event);
    if (alone && *alone) return Admission{account.dataset().filter.budget, true};
  }
  return account.refusal(period, terms.part, cost, "");
}

// Only rows of earlier versions may leave it unsaid.
Result<void> Ledger::Inside::check_says_eviction(const Terms& terms) {
  if (terms.stated.eviction != Eviction::unsaid) return {};
  return fail(ErrorKind::internal, "ledger", "a new debit must state whether its caps can push records out");
}

Result<void> Ledger::Inside::check_not_closed(const Account& account) {
  if (!account.closed()) return {};
  return fail(ErrorKind::usage, "dataset",
              "'" + account.dataset().name + "' was closed (" + *account.closed() +
                  "): what is paid for may be published, but nothing more is debited");
}

DebitBody Ledger::Inside::body_of(const Terms& terms, const std::vector<Event>& events, const Shape& shape) {
  DebitBody body;
  body.terms = terms;
  body.has_slots = shape.has_slots;
  body.uses = shape.uses;
  body.programme = shape.programme;
  body.analysis = accounting::kAnalysisVersion;
  body.software = kVersion;
  if (shape.has_slots) {
    body.events = nlohmann::json::array();
    for (const Event& event : events) body.events.push_back(accounting::event_to_json(event));
  } else {
    body.events = accounting::event_to_json(events.front());
  }
  return body;
}

// The last debit of the job of `asked`, if `asked` may take it up. Then nothing was drawn or used for it, by a version
// that would have recorded this; it does not come from a backup, whose original ledger may have drawn since; the terms
// are exactly the same; and what was charged is no less than today's price.
Result<std::optional<DebitReference>> Ledger::Inside::unused_debit(const Account& account, const DebitBody& asked,
                                                                   const Event& event, const Cost& cost,
                                                                   const Store::Reader& read) {
  std::optional<DebitReference> none;
  const std::optional<Account::JobDebit> last = account.last_of(asked.terms.job);
  if (!last || last->state != State::reserved || last->used > 0 || asked.has_slots ||
      account.from_backup(last->sequence))
    return none;
  CV_TRY(const Stored stored, read(last->sequence));
  const Entry& row = stored.rows.front();
  CV_TRY(const DebitBody there, debit_from_body(row.body));
  DebitBody same = asked;
  same.period = there.period;
  same.cost = there.cost;
  same.takes_all = there.takes_all;
  same.analysis = there.analysis;
  same.software = there.software;
  if (to_body(same) != row.body) return none;
  if (there.takes_all) {
    CV_TRY(const bool alone, fills_at_most_all(account.dataset(), asked.terms, event));
    if (!alone) return none;
  } else if (!covers(there.cost, cost)) {
    return none;
  }
  return std::optional(DebitReference{{row.dataset, row.sequence, std::nullopt}, row.hash});
}

Result<Reservation> Ledger::Inside::debit(const Terms& terms, const std::vector<Event>& events, const Shape& shape,
                                          const BeforeSecond& before_second) {
  CV_CHECK(check_says_eviction(terms));
  if (terms.live && !shape.uses) return fail(ErrorKind::internal, "ledger", "a live release has numbered uses");
  DebitBody body = body_of(terms, events, shape);
  // Pricing needs no lock, nor the latest rows: what a dataset promises never changes, unless it is created anew.
  const Account* known = &accounts[terms.dataset];
  if (!known->exists()) {
    CV_TRY(known, writable(terms.dataset, reader(terms.dataset)));
  }
  const Event event = composed(events);
  const std::int64_t created_by = known->created_by();
  CV_TRY(const Cost cost, price(known->dataset(), terms, event));
  std::optional<DebitReference> taken;
  const Composer compose = [&](const Account& account, const std::string& recorded_at,
                               const Store::Reader& read) -> Result<std::vector<Draft>> {
    if (account.created_by() != created_by)
      return fail(ErrorKind::usage, "dataset",
                  "'" + terms.dataset + "' was deleted and created anew meanwhile; try again");
    CV_TRY(taken, unused_debit(account, body, event, cost, read));
    if (taken) return std::vector<Draft>{};
    if (const auto last = account.last_of(terms.job); last && before_second)
      CV_CHECK(before_second({terms.dataset, last->sequence, std::nullopt}, last->state));
    CV_CHECK(check_not_closed(account));
    CV_CHECK(check_clock(account));
    body.period = account.period_at(recorded_at);
    CV_TRY(const Admission admission, admission_of(account, body.period, terms, event, cost));
    body.cost = admission.cost;
    body.takes_all = admission.takes_all;
    return std::vector<Draft>{{"debit", to_body(body)}};
  };
  const Result<std::vector<Entry>> appended = append(terms.dataset, true, compose);
  if (!appended) return in_releases(appended.error(), terms, cost);
  const std::vector<Entry>& rows = *appended;
  if (taken) return Reservation{*std::move(taken), true};
  return Reservation{{{terms.dataset, rows.front().sequence, std::nullopt}, rows.front().hash}, false};
}

Result<void> Ledger::Inside::write_drawing(const DebitId& id) {
  const std::scoped_lock lock(mutex);
  const Composer compose = [&](const Account& account, const std::string&,
                               const Store::Reader&) -> Result<std::vector<Draft>> {
    CV_CHECK(account.may_draw(id));
    CV_CHECK(account.check_own(id));
    return std::vector<Draft>{{"drawing", to_body(DrawingBody{id.sequence, id.slot})}};
  };
  CV_CHECK(append(id.dataset, true, compose));
  return {};
}

}  // namespace chronoveil::ledger
