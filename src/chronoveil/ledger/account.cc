#include "chronoveil/ledger/account.h"

#include <fmt/format.h>

#include "chronoveil/ledger/json_fields.h"
#include "chronoveil/ledger/receipt.h"

namespace chronoveil::ledger {

Result<void> Account::apply(const Entry& entry) {
  CV_CHECK(check_link(entry, next_sequence_, head_));
  const auto broken = [&](const std::string& what) {
    return fail(ErrorKind::storage, "ledger",
                fmt::format("row {} of dataset '{}' {}", entry.sequence, entry.dataset, what));
  };
  if (entry.recorded_at < last_time_) return broken("is dated before the row before it");
  if (Result<void> done = apply_body(entry); !done) return broken("is not allowed here: " + done.error().text());
  last_time_ = entry.recorded_at;
  head_ = entry.hash;
  ++next_sequence_;
  return {};
}

Result<void> Account::apply_body(const Entry& entry) {
  const auto refuse = [](const std::string& why) { return fail(ErrorKind::storage, why); };
  if (!dataset_ && entry.kind != "create") return refuse("the first row of a dataset creates it");
  if (entry.kind == "create") {
    if (exists() || moved_) return refuse("a dataset is created by its first row, or after it was deleted");
    CV_TRY(Dataset dataset, dataset_from_body(entry.body));
    dataset.name = entry.dataset;
    dataset_ = std::move(dataset);
    deleted_ = carried_ = false;
    created_by_ = entry.sequence;
    closed_.reset();
    return {};
  }
  if (arrived_) return refuse("the dataset was moved away and has arrived");
  if (entry.kind == "arrived") {
    CV_CHECK(copy_from_arrived_body(entry.body));
    if (!moved_ || copied_) return refuse("only what was moved away arrives");
    arrived_ = true;
    return {};
  }
  if (entry.kind == "copied") {
    CV_CHECK(check_copied_body(entry.body));
    if (!moved_ || copied_) return refuse("only what was moved away is copied");
    copied_ = true;
    return {};
  }
  if (entry.kind == "opened") {
    CV_TRY(const Origin origin, origin_from_body(entry.body));
    if ((origin == Origin::moved) != moved_)
      return refuse("a dataset that was moved away can only be opened by that move");
    moved_ = copied_ = false;
    carried_ = true;
    if (origin != Origin::moved) from_backup_ = entry.sequence;
    return {};
  }
  if (moved_) return refuse("the dataset was moved away");
  if (entry.kind == "moved") {
    CV_CHECK(moved_from_body(entry.body));
    moved_ = carried_ = true;
    return {};
  }
  if (deleted_) return refuse("the dataset was deleted");
  if (entry.kind == "deleted") {
    CV_CHECK(check_deleted_body(entry.body));
    CV_CHECK(may_delete());
    deleted_ = true;
    return {};
  }
  if (entry.kind == "closed") {
    if (closed_) return refuse("the dataset was closed before");
    CV_TRY(closed_, reason_from_body(entry.body));
    return {};
  }
  if (entry.kind == "debit" && closed_) return refuse("the dataset was closed");
  if (entry.kind == "debit") return apply_debit(entry);
  if (entry.kind == "slot") return apply_slot(entry);
  if (entry.kind == "drawing") {
    CV_TRY(const DrawingBody drawing, drawing_from_body(entry.body));
    CV_CHECK(may_draw({entry.dataset, drawing.debit, drawing.slot}));
    DebitProgress& debit = debits_[drawing.debit];
    if (drawing.slot) {
      debit.slots[static_cast<std::size_t>(*drawing.slot)] = State::drawing;
    } else {
      debit.state = State::drawing;
    }
    return {};
  }
  if (entry.kind == "use") {
    CV_TRY(const UseBody use, use_from_body(entry.body));
    CV_CHECK(may_use({entry.dataset, use.debit, use.slot}, use.first, use.count));
    DebitProgress& debit = debits_[use.debit];
    RunProgress& run = use.slot ? debit.slot_runs.at(*use.slot) : *debit.run;
    run.used += use.count;
    run.token = use.token;
    return {};
  }
  if (entry.kind == "state") {
    CV_TRY(const StateBody state, state_from_body(entry.body));
    if (state.state == State::reserved) return refuse("a debit does not go back to reserved");
    CV_CHECK(may_settle({entry.dataset, state.debit, state.slot}, state.state));
    DebitProgress& debit = debits_[state.debit];
    if (state.slot) {
      debit.slots[static_cast<std::size_t>(*state.slot)] = state.state;
    } else {
      debit.state = state.state;
    }
    return {};
  }
  return refuse("its kind is unknown");
}

Result<void> Account::apply_debit(const Entry& entry) {
  CV_TRY(DebitBody debit, debit_from_body(entry.body));
  if (debit.cost.values.size() != dataset_->filter.budget.values.size()) return bad_body("cost");
  if (debit.period != period_at(entry.recorded_at)) return bad_body("period");
  std::optional<std::int64_t> place;
  if (debit.terms.part) {
    if (!dataset_->partition) return bad_body("part");
    CV_TRY(place, place_of(*dataset_->partition, *debit.terms.part));
  }
  Spent& spent = spent_.try_emplace(debit.period, Spent{dataset_->filter.nothing(), {}}).first->second;
  Cost& total = place ? spent.parts.try_emplace(*place, dataset_->filter.nothing()).first->second : spent.whole;
  total += debit.cost;
  sums_.add(debit.period, debit.cost);
  last_in_[debit.terms.part.value_or("")] = entry.sequence;
  DebitProgress& progress = debits_[entry.sequence];
  progress.slots.resize(debit.slot_count());
  progress.says_drawing = debit.says_drawing();
  if (std::string job = debit.job(); !job.empty()) jobs_[std::move(job)] = entry.sequence;
  progress.programme = std::move(debit.programme);
  if (debit.uses) progress.run = RunProgress{entry.hash, std::move(debit.events), *debit.uses, 0, ""};
  return {};
}

Result<void> Account::apply_slot(const Entry& entry) {
  CV_TRY(SlotBody slot, slot_from_body(entry.body));
  CV_CHECK(may_open_slot({entry.dataset, slot.debit, slot.slot}));
  DebitProgress& debit = debits_[slot.debit];
  if (slot.uses && slot.uses != uses_of(debit.programme, slot.slot)) return bad_body("uses");
  debit.slots[static_cast<std::size_t>(slot.slot)] = State::reserved;
  if (slot.job.empty()) return {};
  slots_of_jobs_[slot.job] = {slot.debit, slot.slot};
  if (slot.uses)
    debit.slot_runs[slot.slot] = RunProgress{entry.hash, std::move(slot.event), *slot.uses, 0, ""};
  else
    debit.of_jobs.insert(slot.slot);
  return {};
}

Result<Seal> Account::seal_with(const std::vector<Entry>& added) const {
  Sums sums = sums_;
  for (const Entry& row : added) {
    if (row.kind != "debit") continue;
    CV_TRY(const DebitBody debit, debit_from_body(row.body));
    sums.add(debit.period, debit.cost);
  }
  return Seal{next_sequence_ + static_cast<std::int64_t>(added.size()), added.empty() ? head_ : added.back().hash,
              sums.text(), ""};
}

Result<Seal> seal_of(const std::vector<Entry>& rows) {
  Account account;
  for (const Entry& row : rows) CV_CHECK(account.apply(row));
  return account.seal();
}

std::string Account::period_at(const std::string& recorded_at) const {
  return dataset_->renews ? period_of(*dataset_->renews, recorded_at) : std::string();
}

std::vector<std::string> Account::periods() const {
  std::vector<std::string> result;
  for (const auto& item : spent_) result.push_back(item.first);
  return result;
}

Result<const Account::DebitProgress*> Account::find(const DebitId& id) const {
  const auto it = debits_.find(id.sequence);
  if (it == debits_.end()) return invalid("id", id.text(), "a debit of the dataset; see budget history");
  if (id.slot && (*id.slot < 0 || *id.slot >= static_cast<std::int64_t>(it->second.slots.size()))) {
    return invalid("id", id.text(),
                   fmt::format("one of the debit's {} slots, counted from 0", it->second.slots.size()));
  }
  return &it->second;
}

Result<void> Account::may_settle(const DebitId& id, State to) const {
  CV_TRY(const DebitProgress* debit, find(id));
  const std::optional<State> state = id.slot ? debit->slots[static_cast<std::size_t>(*id.slot)] : debit->state;
  if (!state) return invalid("id", id.text(), "a slot that was used");
  if (*state != State::reserved && *state != State::drawing)
    return invalid("id", id.text(), "a debit still reserved; this one is " + std::string(name(*state)));
  if (to == State::released && *state == State::reserved && debit->says_drawing_for(id))
    return invalid("id", id.text(),
                   "a debit for which something was drawn; nothing was drawn for this one, so nothing can be released");
  return {};
}

Result<void> Account::may_draw(const DebitId& id) const {
  CV_TRY(const DebitProgress* debit, find(id));
  if (debit->run || (id.slot ? debit->slot_runs.contains(*id.slot) : !debit->slots.empty()))
    return invalid("id", id.text(), "a debit for one event, or a slot");
  const std::optional<State> state = id.slot ? debit->slots[static_cast<std::size_t>(*id.slot)] : debit->state;
  if (!state) return invalid("id", id.text(), "a slot that was used");
  if (*state == State::drawing || (*state == State::released && debit->says_drawing_for(id)))
    return fail(
        ErrorKind::usage, kDrawnForByAnother,
        std::string(*state == State::drawing ? "another process draws for " : "another process has drawn for ") +
            id.text() + " already, and a debit covers one draw; this one has drawn nothing");
  if (*state != State::reserved)
    return fail(ErrorKind::usage, "ledger",
                id.text() + " is " + std::string(name(*state)) + " by now, and nothing is drawn for what is settled");
  return {};
}

Result<void> Account::check_own(const DebitId& id) const {
  if (!from_backup(id.sequence)) return {};
  return invalid("id", id.text(),
                 "a debit that did not come out of a backup: the ledger that the backup was made of may have gone on "
                 "with this one; make a new debit");
}

std::optional<Account::JobDebit> Account::last_of(const std::string& job) const {
  const auto found = jobs_.find(job);
  if (job.empty() || found == jobs_.end()) return std::nullopt;
  const DebitProgress& debit = debits_.at(found->second);
  return JobDebit{found->second, debit.state, debit.run ? debit.run->used : 0};
}

std::optional<std::pair<DebitId, State>> Account::slot_of(const std::string& job) const {
  const auto found = slots_of_jobs_.find(job);
  if (job.empty() || found == slots_of_jobs_.end()) return std::nullopt;
  const auto [debit, slot] = found->second;
  const std::optional<State>& state = debits_.at(debit).slots[static_cast<std::size_t>(slot)];
  return std::pair(DebitId{dataset_->name, debit, slot}, *state);
}

Result<void> Account::may_delete() const {
  if (!debits_.empty())
    return fail(ErrorKind::usage, "dataset",
                "'" + dataset_->name +
                    "' has debits, and what was spent is never forgotten; to end it: chronoveil budget close " +
                    dataset_->name + " --reason TEXT");
  if (carried_)
    return fail(ErrorKind::usage, "dataset",
                "'" + dataset_->name +
                    "' came out of a backup or another ledger, where it may have debits; to end it: chronoveil budget "
                    "close " +
                    dataset_->name + " --reason TEXT");
  return {};
}

Result<void> Account::may_open_slot(const DebitId& id) const {
  if (!id.slot) return invalid("id", id.text(), "a slot such as city:17/3");
  CV_TRY(const DebitProgress* debit, find(id));
  if (debit->state != State::reserved) return invalid("id", id.text(), "a slot of a debit still reserved");
  if (debit->slots[static_cast<std::size_t>(*id.slot)]) return invalid("id", id.text(), "a slot not used before");
  return {};
}

Result<const RunProgress*> Account::open_run(const DebitId& id) const {
  CV_TRY(const DebitProgress* debit, find(id));
  const RunProgress* run = !id.slot && debit->run ? &*debit->run : nullptr;
  if (id.slot && debit->slot_runs.contains(*id.slot)) run = &debit->slot_runs.at(*id.slot);
  if (run == nullptr) return invalid("id", id.text(), "a debit, or an opened slot, that was reserved as a run");
  const State state = id.slot ? *debit->slots[static_cast<std::size_t>(*id.slot)] : debit->state;
  if (state != State::reserved)
    return invalid("id", id.text(), "a run still reserved; this one is " + std::string(name(state)));
  return run;
}

Result<void> Account::may_use(const DebitId& id, std::int64_t first, std::int64_t count) const {
  CV_TRY(const RunProgress* run, open_run(id));
  if (count < 1) return invalid("count", std::to_string(count), "at least 1");
  if (first < run->used) {
    return invalid(
        "first", std::to_string(first),
        fmt::format(
            "{}: the earlier uses of {} are gone; another process made them, or this one goes on from an older state",
            run->used, id.text()));
  }
  if (first > run->used) {
    return invalid("first", std::to_string(first),
                   fmt::format("{}: no more uses of {} are written down; the ledger lost rows, or uses were skipped",
                               run->used, id.text()));
  }
  if (count > run->uses - run->used) {
    return fail(
        ErrorKind::over_budget, "run",
        fmt::format("{} has {} of its {} uses left; {} are asked", id.text(), run->uses - run->used, run->uses, count));
  }
  return {};
}

}  // namespace chronoveil::ledger
