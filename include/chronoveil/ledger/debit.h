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
//   reserved   nothing was drawn for it: a run that failed so far may be made again, on this debit
//   drawing    written down durably before the first bit that could reach an output, once and never again. A run with
//              numbered uses has those written down instead, and stays reserved until it ends
//   released   its output is stored, or out
//   abandoned  nothing will come of it
enum class State { reserved, drawing, released, abandoned };
std::string_view name(State);
// What a debit can be said to be: reserved, released or abandoned. That it draws is for the ledger to find.
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

// What a release carries, so that a ledger that lost its last rows can be told from one that never had them.
struct DebitReference {
  DebitId id;
  std::string chain_head;  // the hash of the row that covers the release
};

// Which live release a run is of: by this, whoever goes on with the release finds its debit and no other.
struct LiveTag {
  std::string release;
  std::string job;  // the digest of what must not change while the release goes on
  std::int64_t span = 0;
  std::string holder;   // the token of whoever opened it
  std::string opening;  // the digest of what was opened

  bool operator==(const LiveTag&) const = default;
};

// What a request says besides its event. What is left out is the dataset's.
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
  std::optional<State> state;             // nothing while it is free
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
  std::optional<std::int64_t> uses;  // of a run: how many are reserved
  std::int64_t used = 0;             // and gone
  std::string token;                 // of the last use
  std::string period;                // empty when the budget does not renew
  Cost cost;
  State state = State::reserved;
  std::optional<std::string> digest;  // of what was released (report/document/digest.h)
  bool says_drawing = false;          // nothing comes of it before the ledger says that it draws
  bool from_backup = false;           // it was made before its rows came out of a backup
};

// Whether something that it paid for may yet come out: it is reserved or drawing; of slots one is, or is free while the
// debit is reserved.
bool may_still_publish(const Debit&);

}  // namespace chronoveil::ledger
