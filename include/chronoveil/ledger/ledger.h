// The ledger: budgets that survive restarts, crashes, several processes and several people. Debit first: a lost release
// costs budget, a lost debit would cost privacy. See docs/ledger.md.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/ledger/calendar.h"
#include "chronoveil/ledger/dataset.h"
#include "chronoveil/ledger/debit.h"
#include "chronoveil/ledger/proof/entry.h"
#include "chronoveil/ledger/proof/signing.h"
#include "chronoveil/ledger/proof/verify.h"
#include "chronoveil/ledger/receipt.h"
#include "chronoveil/ledger/room.h"
#include "chronoveil/ledger/run.h"

namespace chronoveil::ledger {

struct Options {
  std::function<Instant()> clock;  // the system's unless given
  // Who asks, for example the name of a token; else the operating-system user. If the database itself knows who writes,
  // that name is recorded, with this one in parentheses.
  std::string who;
  // The path of a secret key that signs every seal, and where heads are anchored (open_anchor); empty for none. If not
  // given, the variables CHRONOVEIL_KEY and CHRONOVEIL_ANCHOR decide.
  std::optional<std::string> key, anchor;
  // Trusts the clock however far it is ahead of the last row; the environment may say so, too (plausible_clock.h).
  bool clock_is_right = false;
  // Refuses a place without a ledger instead of creating an empty one: a mere reader must not create a ledger.
  bool must_exist = false;
};

// Called with one sentence whenever a ledger is opened whose database cannot keep what it promises, or a backup is
// restored that may lack datasets. Set once, by the program, before the first ledger is opened.
void on_warning(std::function<void(const std::string&)>);

// The standing of a dataset's filter.
struct View {
  Dataset dataset;
  std::string period;  // the current one; empty when the budget does not renew
  // Why, in words, the clock of a renewing budget is implausible, if it is; see plausible_clock.h.
  std::string clock_note;
  Cost admitted;  // for the dearest neighbour
  Cost left;      // for the whole dataset, or for the part that was asked about
  Admissible admissible;
  std::string part_rule;  // empty without parts
  std::int64_t debits = 0;
  std::int64_t rows = 0;
  std::string chain_head;
  bool moved_away = false;
  std::optional<std::string> closed;  // why no debit is made any more
  accounting::Event dearest;          // everything that touches the dearest neighbour in this period, composed
  double beta = 0;                    // the admitted cost holds with confidence 1 - β: some prices are estimates
  std::optional<Error> not_composed;  // why there is no composition: today's rules refuse an old debit
  std::vector<Debit> runs;            // those that may be resumed, of this or an earlier period
  std::vector<Debit> earlier;         // of earlier periods, which may still publish; they count there
};

// The debit of a run, and whether it is an unused one of the same job that was taken up.
struct Reservation : DebitReference {
  bool taken_up = false;
};

// Called if the dataset already has a debit of the same job (Terms::job) that cannot be taken up. An error refuses the
// second debit, inside the transaction that would make it, so that of two processes only one is first. If empty, a
// second debit is allowed.
using BeforeSecond = std::function<Result<void>(const DebitId& earlier, State)>;

// Safe to use from several threads, and from several processes on one store; not across fork().
class Ledger {
 public:
  // At a path or a URL; see open_store.
  static Result<Ledger> open(const std::string& where, Options = {});
  Ledger(Ledger&&) noexcept;
  Ledger& operator=(Ledger&&) noexcept;
  ~Ledger();

  Result<Dataset> create(const DatasetRequest&);
  // Makes no more debits; what is paid for may still be published. For good. Refused: an empty reason.
  Result<void> close(const std::string& dataset, const std::string& reason);
  // Frees the name of a dataset that has no debit, so that it may be created anew, with other terms. Its rows stay, and
  // those of a new one follow them: nothing that was signed, anchored or backed up is contradicted, and no debit ever
  // has the number of another. Refused where a debit was made or may have been made elsewhere (Account::may_delete).
  Result<void> remove(const std::string& dataset);

  // Debits an event and returns its receipt once the debit is durable. Errors: over_budget, or an event that does not
  // fit the dataset. If the last debit of the same job is reserved and nothing was drawn for it, it is taken up
  // instead, provided that event and terms are the same and its cost is no less than today's price. Never one from a
  // backup: the original ledger may have drawn for it since.
  Result<Receipt> reserve(const Terms&, const accounting::Event&, const BeforeSecond& = {});
  // What reserve would cost, without a debit; for a debit that it would take up, what that debit cost.
  Result<Cost> check(const Terms&, const accounting::Event&);
  // What such a debit would take of the budget, and how many of them would fit; none is no error.
  Result<Room> room_for(const Terms&, const accounting::Event&);
  // The same for the last debit that concerns this part, or for the last of all. Empty before the first debit.
  Result<std::optional<LikeLast>> room_like_last(const std::string& dataset,
                                                 const std::optional<std::string>& part = std::nullopt);
  // The debit that reserve, or with `uses` reserve_run, would take up.
  Result<std::optional<DebitReference>> to_take_up(const Terms&, const accounting::Event&,
                                                   std::optional<std::int64_t> uses = std::nullopt);
  // Debits a list of events at once, composed tightly; open_slot later hands out the receipts, in any order.
  // `programme` says which jobs the slots are for; they then open them by open_slot_for.
  Result<DebitReference> reserve_slots(const Terms&, const std::vector<accounting::Event>& slots,
                                       const std::vector<SlotsFor>& programme = {},
                                       const BeforeSecond& before_second = {});
  // A receipt for an event that the slot's event dominates. A slot is used once, and not out of a backup.
  Result<Receipt> open_slot(const DebitId& slot, const accounting::Event&, const std::string& mechanism = "");
  // The receipt of a job (Terms::job) for the first of these slots that is free and fits: its debit has the same unit,
  // width, relation and part, counts evictions if the job has any, and the slot's event dominates. Empty if none does.
  // A slot that the same job opened before, with nothing drawn in it, is taken up instead; after another slot or debit
  // of the same job `before_second` decides. All of it in one transaction.
  Result<std::optional<Receipt>> open_slot_for(const Terms&, const accounting::Event&,
                                               const std::vector<DebitId>& slots, const BeforeSecond& = {});
  // The same for a job that happens in numbered uses: a slot that was reserved for this very event in as many uses. It
  // is then resumed and used as a run with a debit of its own; the job goes on with the one that it opened before.
  Result<std::optional<Reservation>> open_run_slot_for(const Terms&, const accounting::Event&, std::int64_t uses,
                                                       const std::vector<DebitId>& slots, const BeforeSecond& = {});
  // The slot that one of them would open or take up.
  Result<std::optional<DebitId>> slot_for(const Terms&, const accounting::Event&, const std::vector<DebitId>& slots,
                                          const std::optional<std::int64_t>& uses = std::nullopt);
  // Debits an event that will happen in `uses` (at least 1) numbered uses, all of them composed in the event already. A
  // run of the same job that used nothing is taken up.
  Result<Reservation> reserve_run(const Terms&, const accounting::Event&, std::int64_t uses, const BeforeSecond& = {});
  // Resumes a run, which has a debit or a slot of its own. Waits until every write of an earlier process is either
  // durable or gone. Refused for a debit that is no run, for a settled one, and for one that came out of a backup.
  Result<Run> resume_run(const DebitId&);
  // Records durably that uses [first, first + count) are used up. Refused unless exactly `first` are used up already,
  // so that nobody uses one twice, and beyond what was reserved (over_budget). After a storage error the uses may or
  // may not be recorded: resume the run to find out.
  // `token`: a text by which this user of the run recognises its own use (Run::token). Otherwise two processes that
  // resumed one run from copies of one state would each take the other's use for its own.
  Result<void> use_run(const DebitId&, std::int64_t first, std::int64_t count, const std::string& token = "");
  // reserved | drawing -> released | abandoned, for a debit or a slot. Nothing is given back. `digest`: of what was
  // released, which ties the release to its debit.
  Result<void> settle(const DebitId&, State, const std::optional<std::string>& digest = std::nullopt);

  Result<std::vector<std::string>> datasets();
  Result<View> view(const std::string& dataset, const std::optional<std::string>& part = std::nullopt);
  Result<std::vector<Debit>> history(const std::string& dataset);
  Result<std::vector<Entry>> entries(const std::string& dataset);
  // Every dataset, or those named. With a key, each seal must be signed by it.
  Result<Verification> verify(const std::vector<std::string>& datasets = {},
                              const std::optional<PublicKey>& signed_by = std::nullopt);
  // Signs the seals of every dataset, or of those named, with the key of the options, once they verify. Elsewhere a
  // dataset is only signed by the key that signed it before: an append to forged rows must not sign them. So the first
  // signature, and one by another key, are made only here. An invalid signature is replaced only if the dataset is
  // named.
  Result<void> sign(const std::vector<std::string>& datasets = {});
  // Whether the ledger still has the row that covers a release.
  Result<Verification> verify_against(const DebitReference&);

  // Copies every row to an empty place, chain and all, and adds a row that says so: whatever is reserved there may
  // since have been drawn for here. Needs the key of what is signed, one for all. Whole or, after a crash, empty.
  // Refused while a move is interrupted.
  Result<void> back_up(const std::string& to);
  // Takes in the rows of a backup for datasets that this ledger does not have, all or none. Backups of earlier versions
  // do not say that they are whole: they are taken in with a warning.
  Result<void> restore(const std::string& from);
  // Closes every dataset here, copies it there, notes here which copy that is, and opens that copy. A crash in between
  // leaves it open nowhere: run it again. What has arrived is not opened a second time (ledger_move.cc).
  Result<void> move(const std::string& to);

 private:
  struct Inside;
  explicit Ledger(std::shared_ptr<Inside>);
  // For a debit that is in the ledger.
  Receipt receipt_for(DebitReference, accounting::Event, bool taken_up) const;
  std::shared_ptr<Inside> inside_;  // shared with receipts, which record that something is drawn
};

}  // namespace chronoveil::ledger
