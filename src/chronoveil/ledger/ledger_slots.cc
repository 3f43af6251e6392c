#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/ledger/filters/pricing.h"
#include "chronoveil/ledger/inside/inside.h"
#include "chronoveil/ledger/ledger.h"

namespace chronoveil::ledger {

using accounting::Event;

namespace {

// Whether a job that says this may run in a slot of a debit that says that: it is priced as the debit was. What its
// event knows by itself was not taken from what the debit says.
bool same_terms(const Terms& job, const Event& event, const Terms& debit) {
  const Stated one = told_to(event, job.stated), other = told_to(event, debit.stated);
  return one.unit == other.unit && one.width == other.width && one.relation == other.relation &&
         job.part == debit.part && (one.eviction == other.eviction || one.eviction == Eviction::none);
}

// All uses of a run are priced as a whole, in its event: so it takes the very event and uses that were reserved.
bool same_run(const Event& event, const std::optional<std::int64_t>& uses, const DebitBody& debit, std::int64_t slot) {
  if (uses != uses_of(debit.programme, slot)) return false;
  return !uses || accounting::event_to_json(event) == debit.events[static_cast<std::size_t>(slot)];
}

}  // namespace

Result<DebitReference> Ledger::reserve_slots(const Terms& terms, const std::vector<Event>& slots,
                                             const std::vector<SlotsFor>& programme,
                                             const BeforeSecond& before_second) {
  if (slots.empty()) return fail(ErrorKind::usage, "slots", "a debit needs at least one slot");
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(
      Reservation reserved,
      inside_->debit(terms, slots, {.has_slots = true, .uses = std::nullopt, .programme = programme}, before_second));
  return static_cast<DebitReference&&>(std::move(reserved));
}

Result<Receipt> Ledger::open_slot(const DebitId& id, const Event& event, const std::string& mechanism) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const std::vector<Entry> rows,
         inside_->append(id.dataset, true,
                         [&](const Account& account, const std::string&,
                             const Store::Reader& read) -> Result<std::vector<Inside::Draft>> {
                           CV_CHECK(account.may_open_slot(id));
                           CV_CHECK(account.check_own(id));
                           CV_TRY(const Stored from_debit, read(id.sequence));
                           CV_TRY(const DebitBody debit, debit_from_body(from_debit.rows.front().body));
                           CV_TRY(const std::vector<Event> slots, debit.parsed_events());
                           CV_CHECK(check_slot(account.dataset(), debit.terms, event,
                                               slots[static_cast<std::size_t>(*id.slot)]));
                           const SlotBody body{id.sequence, *id.slot, mechanism, accounting::event_to_json(event)};
                           return std::vector<Inside::Draft>{{"slot", to_body(body)}};
                         }));
  return receipt_for(DebitReference{id, rows.front().hash}, event, false);
}

Result<Ledger::Inside::FoundSlot> Ledger::Inside::find_slot(const Account& account, const Terms& terms,
                                                            const Event& event, const std::optional<std::int64_t>& uses,
                                                            const std::vector<DebitId>& slots,
                                                            const BeforeSecond& before_second,
                                                            const Store::Reader& read) {
  if (const auto own = account.slot_of(terms.job)) {
    const auto& [id, state] = *own;
    CV_TRY(const Stored stored, read(id.sequence));
    CV_TRY(const DebitBody debit, debit_from_body(stored.rows.front().body));
    for (const Entry& row : stored.rows) {
      if (row.kind != "slot" || state != State::reserved || !account.check_own(id)) continue;
      CV_TRY(const SlotBody body, slot_from_body(row.body));
      if (body.debit == id.sequence && body.slot == *id.slot && body.event == accounting::event_to_json(event) &&
          body.uses == uses && body.mechanism == terms.mechanism && same_terms(terms, event, debit.terms))
        return FoundSlot{id, row.hash};
    }
    if (before_second) CV_CHECK(before_second(id, state));
  }
  // A debit of its own that waits for this job comes first; what was drawn for one is a second release.
  if (const auto last = account.last_of(terms.job)) {
    if (last->state == State::reserved) return FoundSlot{};
    if (before_second) CV_CHECK(before_second({terms.dataset, last->sequence, std::nullopt}, last->state));
  }
  for (const DebitId& id : slots) {
    if (!account.may_open_slot(id) || !account.check_own(id)) continue;
    CV_TRY(const Stored stored, read(id.sequence));
    CV_TRY(const DebitBody debit, debit_from_body(stored.rows.front().body));
    CV_TRY(const std::vector<Event> reserved, debit.parsed_events());
    if (same_terms(terms, event, debit.terms) && same_run(event, uses, debit, *id.slot) &&
        check_slot(account.dataset(), debit.terms, event, reserved[static_cast<std::size_t>(*id.slot)]))
      return FoundSlot{id, ""};
  }
  return FoundSlot{};
}

Result<std::optional<DebitId>> Ledger::slot_for(const Terms& terms, const Event& event,
                                                const std::vector<DebitId>& slots,
                                                const std::optional<std::int64_t>& uses) {
  const std::scoped_lock lock(inside_->mutex);
  const Store::Reader read = inside_->reader(terms.dataset);
  CV_TRY(const Account* account, inside_->writable(terms.dataset, read));
  CV_TRY(Inside::FoundSlot found, Inside::find_slot(*account, terms, event, uses, slots, {}, read));
  return std::move(found.id);
}

Result<std::optional<Reservation>> Ledger::Inside::open_slot_for(const Terms& terms, const Event& event,
                                                                 const std::optional<std::int64_t>& uses,
                                                                 const std::vector<DebitId>& slots,
                                                                 const BeforeSecond& before_second) {
  if (terms.job.empty()) return fail(ErrorKind::internal, "ledger", "a slot of a programme is for a job");
  FoundSlot found;
  const Composer compose = [&](const Account& account, const std::string&,
                               const Store::Reader& read) -> Result<std::vector<Draft>> {
    CV_TRY(found, find_slot(account, terms, event, uses, slots, before_second, read));
    if (!found.id || !found.opened_by.empty()) return std::vector<Draft>{};
    const SlotBody body{
        found.id->sequence, *found.id->slot, terms.mechanism, accounting::event_to_json(event), terms.job, uses};
    return std::vector<Draft>{{"slot", to_body(body)}};
  };
  CV_TRY(const std::vector<Entry> rows, append(terms.dataset, true, compose));
  if (!found.id) return std::optional<Reservation>();
  const bool taken_up = !found.opened_by.empty();
  return std::optional(Reservation{{*found.id, taken_up ? found.opened_by : rows.front().hash}, taken_up});
}

Result<std::optional<Receipt>> Ledger::open_slot_for(const Terms& terms, const Event& event,
                                                     const std::vector<DebitId>& slots,
                                                     const BeforeSecond& before_second) {
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const std::optional<Reservation> opened,
         inside_->open_slot_for(terms, event, std::nullopt, slots, before_second));
  if (!opened) return std::optional<Receipt>();
  return std::optional<Receipt>(receipt_for(*opened, event, opened->taken_up));
}

Result<std::optional<Reservation>> Ledger::open_run_slot_for(const Terms& terms, const Event& event, std::int64_t uses,
                                                             const std::vector<DebitId>& slots,
                                                             const BeforeSecond& before_second) {
  const std::scoped_lock lock(inside_->mutex);
  return inside_->open_slot_for(terms, event, uses, slots, before_second);
}

}  // namespace chronoveil::ledger
