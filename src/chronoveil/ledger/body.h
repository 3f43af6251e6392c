// The JSON bodies of rows other than the first: debit, slot, drawing, use, state, closed, deleted, moved, opened.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/ledger/debit.h"

namespace chronoveil::ledger {

// A debit as stored; its events stay JSON until they are needed, so that a long ledger opens quickly.
struct DebitBody {
  Terms terms;            // without the dataset
  nlohmann::json events;  // one event, or the list of slots
  bool has_slots = false;
  std::vector<SlotsFor> programme;   // which jobs the slots are for; empty unless there are slots
  std::optional<std::int64_t> uses;  // of a run, which has one event and no slots; at least 1
  std::string period;
  Cost cost;
  bool takes_all = false;  // the first and, by its cost, last debit: its own tight price is within (ε, δ)
  std::int64_t analysis = 0;
  std::string software;

  std::size_t slot_count() const { return has_slots ? events.size() : 0; }
  // Whether it is for a job, by a version that records `drawing` before it draws.
  bool says_drawing() const { return !terms.job.empty() && !has_slots && !uses; }
  // The digest of its job, and its live release. Earlier versions wrote them at the end of `mechanism`: "[job DIGEST]",
  // "[live RELEASE JOB/SPAN HOLDER OPENING]", the first versions without the last two words.
  std::string job() const;
  std::optional<LiveTag> live() const;
  Result<std::vector<accounting::Event>> parsed_events() const;
};

// The numbered uses that a slot is reserved for; empty for a slot that is drawn for at once.
std::optional<std::int64_t> uses_of(const std::vector<SlotsFor>& programme, std::int64_t slot);

std::string to_body(const DebitBody&);
Result<DebitBody> debit_from_body(std::string_view);

// Slot `slot` of the debit in row `debit` is used for an event.
struct SlotBody {
  std::int64_t debit = 0;
  std::int64_t slot = 0;
  std::string mechanism;
  nlohmann::json event;
  std::string job = "";  // the digest of the job that it is for; empty for a slot that is used by hand
  std::optional<std::int64_t> uses = std::nullopt;  // of a run, as its programme reserved them; only for a job
};

std::string to_body(const SlotBody&);
Result<SlotBody> slot_from_body(std::string_view);

// The uses [first, first + count) of the run in row `debit`, or in one of its slots, are used up.
struct UseBody {
  std::int64_t debit = 0;
  std::int64_t first = 0;
  std::int64_t count = 0;
  std::string token = "";  // of the process that used them; may be empty
  std::optional<std::int64_t> slot = std::nullopt;
};

std::string to_body(const UseBody&);
Result<UseBody> use_from_body(std::string_view);

// From here on, bits that reach an output may be drawn for a debit or one of its slots.
struct DrawingBody {
  std::int64_t debit = 0;
  std::optional<std::int64_t> slot;
};

std::string to_body(const DrawingBody&);
Result<DrawingBody> drawing_from_body(std::string_view);

// A debit, or one of its slots, has reached a final state.
struct StateBody {
  std::int64_t debit = 0;
  std::optional<std::int64_t> slot;
  State state = State::released;
  std::optional<std::string> digest = {};  // of what was released; 64 hexadecimal digits
};

std::string to_body(const StateBody&);
Result<StateBody> state_from_body(std::string_view);

// The dataset was moved to another place; `place` identifies that place without naming it.
struct MovedBody {
  std::string to;  // "sqlite" or "postgresql"
  std::string place;
  // Whether it is opened there only after `arrived` was written here (ledger_move.cc). Earlier versions did it before.
  bool noted_first = false;
};

std::string to_body(const MovedBody&);
Result<MovedBody> moved_from_body(std::string_view);

// The rows before this one came from elsewhere: by a move that closed them there, or out of a backup. A whole backup
// was written in one transaction with all datasets of its ledger; earlier versions could leave some out if interrupted.
enum class Origin { moved, backup, whole_backup };

std::string to_body(Origin);
Result<Origin> origin_from_body(std::string_view);

// No debit is made from here on; `reason` is for people.
std::string closed_body(const std::string& reason);
Result<std::string> reason_from_body(std::string_view);

// The dataset, which had no debit, is gone; its name is free.
std::string deleted_body();
Result<void> check_deleted_body(std::string_view);

// The rows before this one are a copy, made by a move, that is not open yet. A random token sets it apart from every
// other copy of them.
std::string copied_body(const std::string& token);
Result<void> check_copied_body(std::string_view);

// What was moved away may be opened at its new place: the copy whose last row has this hash, and no other. Nothing
// follows this row. Without a hash if an earlier version had opened it by then.
std::string arrived_body(const std::string& copy = "");
Result<std::string> copy_from_arrived_body(std::string_view);

// The composition of events, equal ones counted: one event is itself, 52 equal slots are one event of that count.
accounting::Event composed(const std::vector<accounting::Event>&);

}  // namespace chronoveil::ledger
