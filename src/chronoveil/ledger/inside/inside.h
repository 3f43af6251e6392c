// What a ledger is made of: the store, and what this process knows of its rows. The caller holds the mutex, except for
// write_drawing, which takes it.
#pragma once

#include <map>
#include <mutex>

#include "chronoveil/ledger/account.h"
#include "chronoveil/ledger/body.h"
#include "chronoveil/ledger/ledger.h"
#include "chronoveil/ledger/proof/anchor.h"
#include "chronoveil/ledger/stores/store.h"

namespace chronoveil::ledger {

// Calls the handler of on_warning, if there is one.
void warn(const std::string& sentence);

struct Ledger::Inside {
  std::unique_ptr<Store> store;
  Options options;
  std::mutex mutex;
  std::map<std::string, Account> accounts;        // each as of the last row that this process has read
  std::map<std::string, std::string> signatures;  // of their seals
  const SecretKey* key = nullptr;
  std::unique_ptr<Anchor> anchor;
  AnchoredHeads anchored;  // before this ledger was opened

  // rows.cc: reading. catch_up brings the account up to the rows in the store; `existing` refuses a dataset without
  // rows, `writable` also one that was moved away.
  Result<Account*> catch_up(const std::string& dataset, const Store::Reader&);
  Result<std::vector<std::string>> names();
  // Without those that were deleted, whose rows stay.
  Result<std::vector<std::string>> names_in_use();
  Result<Account*> existing(const std::string& dataset, const Store::Reader&);
  Result<Account*> writable(const std::string& dataset, const Store::Reader&);
  Store::Reader reader(const std::string& dataset);

  // anchored.cc: what was anchored must be there, and what is written is anchored and signed.
  static Failure older_than_anchor(const std::string& dataset);
  Result<void> check_anchored_head(const std::string& dataset, const Account&) const;
  Result<void> check_anchored_length(const std::string& dataset, const Account&) const;
  Result<void> check_anchored(const std::string& dataset, const std::vector<Entry>& rows) const;
  Result<void> anchor_head(const std::string& dataset, const Account&);
  Result<std::string> signature_for(const std::string& dataset, const Seal&, const std::string& before,
                                    bool is_new) const;

  // clock.cc: the time, as far as the clock can be trusted (plausible_clock.h).
  std::string now(const Account&) const;
  bool trusts_clock(const Account&, Instant clock) const;
  std::string time_of_next_row(const Account&) const;
  // What a row of that kind is dated, if that is the time of the next row.
  static std::string time_of(const std::string& kind, const std::string& next, const Account&);
  Result<void> check_clock(const Account&) const;
  std::string clock_note(const Account&) const;

  // append.cc: runs `compose` on the up-to-date account inside a transaction; it returns the kinds and bodies of the
  // rows to append. Returns those rows once they are durable.
  struct Draft {
    std::string kind;
    std::string body;
  };
  using Composer =
      std::function<Result<std::vector<Draft>>(const Account&, const std::string& recorded_at, const Store::Reader&)>;
  Result<std::vector<Entry>> append(const std::string& dataset, bool must_exist, const Composer&);

  // debit.cc: what a request is charged, and the row that says so.
  struct Admission {
    Cost cost;
    bool takes_all = false;
  };
  // Whether it is one event, a list of slots, or one event that happens in numbered uses.
  struct Shape {
    bool has_slots = false;
    std::optional<std::int64_t> uses;
    std::vector<SlotsFor> programme = {};
  };
  static Result<Admission> admission_of(const Account&, const std::string& period, const Terms&,
                                        const accounting::Event&, const Cost&);
  static Result<void> check_says_eviction(const Terms&);
  static Result<void> check_not_closed(const Account&);
  static DebitBody body_of(const Terms&, const std::vector<accounting::Event>&, const Shape&);
  static Result<std::optional<DebitReference>> unused_debit(const Account&, const DebitBody& asked,
                                                            const accounting::Event&, const Cost&,
                                                            const Store::Reader&);
  Result<Reservation> debit(const Terms&, const std::vector<accounting::Event>&, const Shape&,
                            const BeforeSecond& = {});
  Result<void> write_drawing(const DebitId&);

  // room.cc: how far the budget goes.
  struct Last {
    std::int64_t sequence = 0;
    Terms terms;
    accounting::Event event;
    Cost cost;  // by today's price
    std::optional<double> epsilon;
    double delta = 0;
  };
  std::map<std::string, Last> last_priced;  // a search for a request that fits is refused many times
  static Result<Room> room_for(const Account&, const std::string& period, const Terms&, const accounting::Event&,
                               const Cost&);
  // Empty before the first debit, and for one that today's rules refuse.
  Result<std::optional<LikeLast>> like_last(const Account&, const std::string& period,
                                            const std::optional<std::string>& part, const Store::Reader&);
  // An over_budget error with the room for more like the last debit. Pricing takes a while: not in a transaction.
  Failure in_releases(const Error&, const Terms&, const Cost&);

  // ledger_slots.cc: the slot that a job would run in, and the row by which it opened it before; empty if none is.
  struct FoundSlot {
    std::optional<DebitId> id = std::nullopt;
    std::string opened_by = "";
  };
  static Result<FoundSlot> find_slot(const Account&, const Terms&, const accounting::Event&,
                                     const std::optional<std::int64_t>& uses, const std::vector<DebitId>& slots,
                                     const BeforeSecond&, const Store::Reader&);
  Result<std::optional<Reservation>> open_slot_for(const Terms&, const accounting::Event&,
                                                   const std::optional<std::int64_t>& uses,
                                                   const std::vector<DebitId>& slots, const BeforeSecond&);

  // copy.cc: rows that go to another store, or come from one.
  Result<Addition> carried(const Stored& from, const std::vector<Entry>& notes) const;
  static Result<Stored> sound_rows(Store& from, const std::string& dataset);
  Result<Entry> note_after(const std::vector<Entry>& rows, std::string kind, std::string body) const;
  // Writes a note after the last row that is known, in this store or another one; refused if that is the last no more.
  Result<void> add_note(Store& to, const Stored& known, std::string kind, std::string body);

  // ledger_copy.cc: backups.
  Result<std::vector<Stored>> rows_to_copy(Store& from, const std::vector<std::string>& names) const;
  Result<std::vector<Addition>> noted_backup(const std::vector<Stored>& datasets, Origin) const;

  // ledger_move.cc: how far a move has come, by the rows that it left; all empty if the dataset is open.
  struct Departure {
    const Entry* moved = nullptr;    // closed here
    const Entry* copied = nullptr;   // these rows are the copy of one that was closed elsewhere
    const Entry* arrived = nullptr;  // a copy may be opened
    // Whether running the move again would open a copy.
    bool under_way() const;
  };
  static Departure departure_of(const std::vector<Entry>& rows);
  Result<void> move(const std::string& dataset, const MovedBody&, Store& to);
};

}  // namespace chronoveil::ledger
