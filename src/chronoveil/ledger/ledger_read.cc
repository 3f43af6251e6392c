#include <algorithm>
#include <map>

#include "chronoveil/accounting/accountant.h"
#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/ledger/filters/pricing.h"
#include "chronoveil/ledger/inside/inside.h"
#include "chronoveil/ledger/ledger.h"

namespace chronoveil::ledger {

using accounting::Event;

Result<std::vector<std::string>> Ledger::datasets() {
  const std::scoped_lock lock(inside_->mutex);
  return inside_->names_in_use();
}

Result<View> Ledger::view(const std::string& name, const std::optional<std::string>& part) {
  CV_TRY(const std::vector<Debit> debits, history(name));
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(const Account* account, inside_->existing(name, inside_->reader(name)));
  View view;
  view.dataset = account->dataset();
  view.period = account->period_at(inside_->now(*account));
  view.clock_note = inside_->clock_note(*account);
  view.admitted = account->admitted(view.period);
  CV_TRY(const Cost so_far, account->charged(view.period, part));
  view.left = so_far.left_of(view.dataset.filter.budget);
  view.admissible = admissible(view.dataset.filter, so_far);
  if (view.dataset.partition) view.part_rule = rule_of(*view.dataset.partition, view.dataset.promise);
  view.debits = account->debit_count();
  view.rows = account->next_sequence();
  view.chain_head = account->head();
  view.moved_away = account->moved_away();
  view.closed = account->closed();
  const std::vector<std::int64_t> places = account->dearest_parts(view.period);
  std::vector<Event> events;
  for (const Debit& debit : debits) {
    if (debit.uses && debit.state == State::reserved && !debit.from_backup) view.runs.push_back(debit);
    for (std::size_t i = 0; i < debit.slots.size(); ++i)
      if (debit.slots[i].uses && debit.slots[i].state == State::reserved && !debit.from_backup)
        view.runs.push_back(*slot_as_debit(debit, static_cast<std::int64_t>(i)));
    if (debit.period != view.period) {
      if (may_still_publish(debit)) view.earlier.push_back(debit);
      continue;
    }
    if (debit.terms.part) {
      CV_TRY(const std::int64_t place, place_of(*view.dataset.partition, *debit.terms.part));
      if (std::find(places.begin(), places.end(), place) == places.end()) continue;
    }
    Result<Event> charged = fitted(debit.event, debit.terms.stated, view.dataset.promise);
    if (!charged) {
      view.not_composed = charged.error();
      continue;
    }
    view.beta = std::min(1.0, view.beta + accounting::largest_beta(*charged));
    events.push_back(*std::move(charged));
  }
  view.dearest = composed(events);
  return view;
}

Result<Room> Ledger::room_for(const Terms& terms, const Event& event) {
  const std::scoped_lock lock(inside_->mutex);
  CV_CHECK(Inside::check_says_eviction(terms));
  CV_TRY(const Account* account, inside_->writable(terms.dataset, inside_->reader(terms.dataset)));
  CV_TRY(const Cost cost, price(account->dataset(), terms, event));
  return Inside::room_for(*account, account->period_at(inside_->now(*account)), terms, event, cost);
}

Result<std::optional<LikeLast>> Ledger::room_like_last(const std::string& dataset,
                                                       const std::optional<std::string>& part) {
  const std::scoped_lock lock(inside_->mutex);
  const Store::Reader read = inside_->reader(dataset);
  CV_TRY(const Account* account, inside_->existing(dataset, read));
  return inside_->like_last(*account, account->period_at(inside_->now(*account)), part, read);
}

Result<std::vector<Debit>> Ledger::history(const std::string& dataset) {
  CV_TRY(const std::vector<Entry> rows, entries(dataset));
  std::vector<Debit> debits;
  std::map<std::int64_t, std::size_t> index;
  for (const Entry& row : rows) {
    if (row.kind == "debit") {
      CV_TRY(DebitBody body, debit_from_body(row.body));
      CV_TRY(const std::vector<Event> events, body.parsed_events());
      body.terms.dataset = dataset;
      Debit debit{{dataset, row.sequence, std::nullopt},
                  row.recorded_at,
                  row.recorded_by,
                  row.hash,
                  body.software,
                  body.analysis,
                  body.terms,
                  composed(events),
                  {},
                  body.programme,
                  body.uses,
                  0,
                  "",
                  body.period,
                  body.cost,
                  State::reserved,
                  std::nullopt,
                  body.says_drawing(),
                  false};
      debit.terms.job = body.job();
      debit.terms.live = body.live();
      if (body.has_slots) {
        for (const Event& event : events) debit.slots.push_back(Slot{.reserved = event, .used = {}, .state = {}});
      }
      index[row.sequence] = debits.size();
      debits.push_back(std::move(debit));
    } else if (row.kind == "slot") {
      CV_TRY(const SlotBody body, slot_from_body(row.body));
      CV_TRY(Event event, accounting::event_from_json(body.event));
      Slot& slot = debits[index.at(body.debit)].slots[static_cast<std::size_t>(body.slot)];
      slot.used = std::move(event);
      slot.state = State::reserved;
      slot.job = body.job;
      slot.mechanism = body.mechanism;
      slot.chain_head = row.hash;
      slot.uses = body.uses;
    } else if (row.kind == "drawing") {
      CV_TRY(const DrawingBody body, drawing_from_body(row.body));
      Debit& debit = debits[index.at(body.debit)];
      (body.slot ? debit.slots[static_cast<std::size_t>(*body.slot)].state.emplace() : debit.state) = State::drawing;
    } else if (row.kind == "use") {
      CV_TRY(const UseBody body, use_from_body(row.body));
      Debit& debit = debits[index.at(body.debit)];
      Slot* const slot = body.slot ? &debit.slots[static_cast<std::size_t>(*body.slot)] : nullptr;
      (slot ? slot->uses_up : debit.used) += body.count;
      (slot ? slot->token : debit.token) = body.token;
    } else if (row.kind == "state") {
      CV_TRY(const StateBody body, state_from_body(row.body));
      Debit& debit = debits[index.at(body.debit)];
      (body.slot ? debit.slots[static_cast<std::size_t>(*body.slot)].state.emplace() : debit.state) = body.state;
      (body.slot ? debit.slots[static_cast<std::size_t>(*body.slot)].digest : debit.digest) = body.digest;
    } else if (row.kind == "opened") {
      CV_TRY(const Origin origin, origin_from_body(row.body));
      for (Debit& debit : debits) debit.from_backup = debit.from_backup || origin != Origin::moved;
    }
  }
  return debits;
}

// Only rows that form a chain are handed out, so that readers may rely on what they refer to.
Result<std::vector<Entry>> Ledger::entries(const std::string& dataset) {
  CV_CHECK(check_dataset_name(dataset));
  const std::scoped_lock lock(inside_->mutex);
  CV_TRY(Stored stored, Inside::sound_rows(*inside_->store, dataset));
  if (stored.rows.empty())
    return invalid("dataset", dataset, "one that was created; see budget list and budget create");
  CV_CHECK(inside_->check_anchored(dataset, stored.rows));
  return std::move(stored.rows);
}

}  // namespace chronoveil::ledger
