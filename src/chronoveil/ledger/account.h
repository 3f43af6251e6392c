// The state of one dataset, built by reading its rows in order. It decides what may be appended next; it never reads
// or writes a store.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "chronoveil/ledger/body.h"
#include "chronoveil/ledger/dataset.h"
#include "chronoveil/ledger/proof/entry.h"
#include "chronoveil/ledger/proof/seal.h"
#include "chronoveil/ledger/room.h"

namespace chronoveil::ledger {

// What an account knows of a run, which has a debit or a slot of its own: enough to resume it without reading its row
// again.
struct RunProgress {
  std::string chain_head;  // of the row of the debit, or of the one that opened the slot
  nlohmann::json event;    // parsed when the run is resumed
  std::int64_t uses = 0;   // reserved
  std::int64_t used = 0;   // used up
  std::string token;       // of the last use
};

class Account {
 public:
  // Takes in the next row: checks that it continues the chain and is allowed after the rows before it. verify checks
  // whether a debit was priced rightly and within the budget.
  Result<void> apply(const Entry&);

  bool exists() const { return dataset_.has_value() && !deleted_; }
  // The row that created the dataset as it is now; a dataset that was deleted may be created anew.
  std::int64_t created_by() const { return created_by_; }
  // Why no debit is made any more; empty while they are.
  const std::optional<std::string>& closed() const { return closed_; }
  // Whether it can be deleted without a trace of anybody's budget: nothing was ever debited, and its rows neither came
  // from elsewhere nor went there, where debits may have been made.
  Result<void> may_delete() const;
  bool moved_away() const { return moved_; }
  const Dataset& dataset() const { return *dataset_; }
  std::int64_t next_sequence() const { return next_sequence_; }
  const std::string& head() const { return head_; }
  // The seal of the rows so far, without a signature; and with rows to come, which are not checked here.
  Seal seal() const { return {next_sequence_, head_, sums_.text(), ""}; }
  Result<Seal> seal_with(const std::vector<Entry>& added) const;

  // The time of the last row; empty before the first.
  const std::string& last_time() const { return last_time_; }
  // The time to record now: the clock's, but never before the last row's.
  std::string time_to_record(const std::string& clock) const { return clock < last_time_ ? last_time_ : clock; }
  // The period that a debit recorded at this time belongs to; empty when the budget does not renew.
  std::string period_at(const std::string& recorded_at) const;

  // What the filter has admitted for one neighbour, in a period.
  Cost admitted(const std::string& period) const;
  // The same for a request for this part alone: per coordinate, the cost of the dearest neighbour that differs in the
  // part. Without a part, a request is for everything: what was admitted.
  Result<Cost> charged(const std::string& period, const std::optional<std::string>& part) const;
  // Whether charged() is nothing yet.
  Result<bool> is_untouched(const std::string& period, const std::optional<std::string>& part) const;
  // Whether the filter admits this much more.
  Result<bool> has_room(const std::string& period, const std::optional<std::string>& part, const Cost&) const;
  // How many debits of this cost it admits, one after the other; no more than `most` are counted.
  Result<std::int64_t> room(const std::string& period, const std::optional<std::string>& part, const Cost&,
                            std::int64_t most) const;
  // For what has no room: what it takes and what is left.
  Result<Lack> lack(const std::string& period, const std::optional<std::string>& part, const Cost&) const;
  // The over_budget error that says so, then `more` in words, what the filter has admitted, what is asked and what
  // would still be admitted.
  Failure refusal(const std::string& period, const std::optional<std::string>& part, const Cost&,
                  const std::string& more) const;
  // That error where there is no room.
  Result<void> admit(const std::string& period, const std::optional<std::string>& part, const Cost&) const;
  // The row of the last debit that concerns this part, or of the last of all.
  std::optional<std::int64_t> last_debit(const std::optional<std::string>& part) const;
  // The parts whose debits count for the dearest neighbour.
  std::vector<std::int64_t> dearest_parts(const std::string& period) const;
  std::vector<std::string> periods() const;

  // Whether a debit, or slot, may go to a state or be used; an error says why not. A debit for a job cannot be released
  // before something was drawn for it.
  Result<void> may_settle(const DebitId&, State) const;
  // Whether nothing was drawn yet for a debit, or slot, that is neither a run nor settled. At most one `drawing` can
  // ever be recorded for it.
  Result<void> may_draw(const DebitId&) const;
  Result<void> may_open_slot(const DebitId&) const;
  // The last slot that a job opened, and its state.
  std::optional<std::pair<DebitId, State>> slot_of(const std::string& job) const;
  // The run, if it may go on.
  Result<const RunProgress*> open_run(const DebitId&) const;
  // Whether these uses are the next ones of a run that may go on; over_budget when it has fewer left.
  Result<void> may_use(const DebitId&, std::int64_t first, std::int64_t count) const;

  // The last debit of a job, if any.
  struct JobDebit {
    std::int64_t sequence = 0;
    State state = State::reserved;
    std::int64_t used = 0;  // of a run
  };
  std::optional<JobDebit> last_of(const std::string& job) const;
  // Whether the row came out of a backup. The original ledger may have drawn for it since, so nobody draws for it here.
  bool from_backup(std::int64_t sequence) const { return sequence < from_backup_; }
  // Refuses to draw, or to hand out a use or a slot, for a debit out of a backup. Not asked of rows that are read:
  // earlier versions let runs and slots go on.
  Result<void> check_own(const DebitId&) const;

  std::int64_t debit_count() const { return static_cast<std::int64_t>(debits_.size()); }

 private:
  struct Spent {
    Cost whole;
    PartCosts parts;
  };
  struct DebitProgress {
    State state = State::reserved;
    std::vector<std::optional<State>> slots;
    std::optional<RunProgress> run;
    bool says_drawing = false;            // DebitBody::says_drawing
    std::set<std::int64_t> of_jobs = {};  // slots that jobs opened, which say `drawing`, too
    std::vector<SlotsFor> programme = {};
    std::map<std::int64_t, RunProgress> slot_runs = {};  // slots that happen in numbered uses
    bool says_drawing_for(const DebitId& id) const { return id.slot ? of_jobs.contains(*id.slot) : says_drawing; }
  };

  Result<void> apply_body(const Entry&);
  Result<void> apply_debit(const Entry&);
  Result<void> apply_slot(const Entry&);
  Cost charge(const Spent&) const;
  // Whether the filter would hold for every single neighbour. A union may hold for each by another member, although no
  // member holds for all.
  Result<bool> holds_for_each(const std::string& period, const std::optional<std::string>& part, const Cost&) const;
  const Spent* spent_in(const std::string& period) const;
  Result<const DebitProgress*> find(const DebitId&) const;

  std::optional<Dataset> dataset_;
  std::int64_t next_sequence_ = 0;
  std::string head_;
  std::string last_time_;
  bool moved_ = false, copied_ = false, arrived_ = false, deleted_ = false;
  bool carried_ = false;  // since it was created, its rows came from elsewhere or went there
  std::int64_t created_by_ = 0;
  std::optional<std::string> closed_;
  std::int64_t from_backup_ = 0;  // rows that came out of a backup
  std::map<std::string, Spent> spent_;
  Sums sums_;
  std::unordered_map<std::int64_t, DebitProgress> debits_;
  std::unordered_map<std::string, std::int64_t> jobs_;                                    // the last debit of each
  std::unordered_map<std::string, std::pair<std::int64_t, std::int64_t>> slots_of_jobs_;  // the last debit and slot
  std::map<std::string, std::int64_t> last_in_;  // the last debit of each part; of the whole dataset under ""
};

// The seal of a dataset's rows from the first on; an error if they are no chain.
Result<Seal> seal_of(const std::vector<Entry>& rows);

}  // namespace chronoveil::ledger
