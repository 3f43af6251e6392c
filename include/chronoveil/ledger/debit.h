// Debits as the ledger hands them out, and their ids.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/ledger/filters/filter.h"
#include "chronoveil/ledger/filters/neighbours.h"

namespace chronoveil::ledger {

// A debit is reserved before any data is read. Whatever becomes of it, it stays spent.
//   reserved   nothing was drawn for it: a run that failed may be made again, on this debit
//   drawing    recorded durably, once only, before the first bit that could reach an output. A run with numbered uses
//              records those instead, and stays reserved until it ends
//   released   its output is stored or published
//   abandoned  nothing will come of it
enum class State { reserved, drawing, released, abandoned };
std::string_view name(State);
// The states that a caller may name: reserved, released or abandoned. Only the ledger says `drawing`.
Result<State> parse_state(std::string_view);

// "city:17", the row of the debit; "city:17/3", its slot number 3 (from 0).
struct DebitId {
  std::string dataset;
  std::int64_t sequence = 0;
  std::optional<std::int64_t> slot;

  std::string text() const;
  static Result<DebitId> parse(std::string_view);
  bool operator==(const DebitId&) const = default;
};

// What a release carries of its debit, to recognise a ledger that lost its last rows.
struct DebitReference {
  DebitId id;
  std::string chain_head;  // the hash of the row that covers the release
};

// Identifies the live release of a run, so that a resumed release finds its own debit and no other.
struct LiveTag {
  std::string release;
  std::string job;  // the digest of what must not change while the release is open
  std::int64_t span = 0;
  std::string holder;   // the token of whoever opened it
  std::string opening;  // the digest of what was opened

  bool operator==(const LiveTag&) const = default;
};

// What a request says besides its event. What it leaves out is as the dataset has it.
struct Terms {
  std::string dataset;
  std::string purpose;
  std::string mechanism;
  Stated stated;
  std::optional<std::string> part;
  std::optional<double> delta;  // charge the event its ε at this δ
  std::string job;              // the digest of the job that it is for; empty for a debit by hand
  std::optional<LiveTag> live = std::nullopt;
};

struct Slot {
  accounting::Event reserved;
  std::optional<accounting::Event> used;  // what ran in it
  std::optional<State> state;             // empty while it is free
  std::string job = "";                   // the digest of the job that opened it; empty for one that is used by hand
  std::string mechanism = "";
  std::string chain_head = "";                       // the hash of the row that opened it
  std::optional<std::string> digest = std::nullopt;  // of what was released
  std::optional<std::int64_t> uses = std::nullopt;   // of a run that opened it: how many uses are reserved
  std::int64_t uses_up = 0;                          // and used up
  std::string token = "";                            // of the last use
};

// A release of a programme: slots of one debit that follow each other, and the jobs that may take them.
struct SlotsFor {
  std::string name;                 // of the job, as the programme has it
  std::string job;                  // the digest of the job without the keys that vary
  std::vector<std::string> varies;  // the keys of a job that may differ from run to run
  std::int64_t first = 0, count = 0;
  std::optional<std::int64_t> uses = std::nullopt;  // of each slot, for jobs that happen in numbered uses

  bool operator==(const SlotsFor&) const = default;
};

struct Debit {
  DebitId id;
  std::string recorded_at;
  std::string recorded_by;
  std::string chain_head;
  std::string software;
  std::int64_t analysis = 0;
  Terms terms;
  accounting::Event event;  // of slots: their composition
  std::vector<Slot> slots;
  std::vector<SlotsFor> programme;   // which jobs the slots are for; empty: for anything, by hand
  std::optional<std::int64_t> uses;  // of a run: how many uses are reserved
  std::int64_t used = 0;             // and used up
  std::string token;                 // of the last use
  std::string period;                // empty when the budget does not renew
  Cost cost;
  State state = State::reserved;
  std::optional<std::string> digest;  // of what was released (report/document/digest.h)
  bool says_drawing = false;          // nothing is published before the ledger says `drawing`
  bool from_backup = false;           // it was made before its rows came out of a backup
};

// A slot that was opened, as if it were a debit of its own: its id, event, row, uses, state and digest, and what was
// stated for such an event. Empty for a slot that is free or not there.
std::optional<Debit> slot_as_debit(const Debit&, std::int64_t slot);

// Whether something that it paid for may yet be published: the debit, or one of its slots, is reserved or drawing, or a
// slot is free while the debit is reserved.
bool may_still_publish(const Debit&);

}  // namespace chronoveil::ledger
