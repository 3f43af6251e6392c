// What a check of a job of any kind finds out, before anything is debited.
#pragma once

#include <optional>

#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/release/data_seen.h"
#include "chronoveil/ledger/ledger.h"
#include "chronoveil/report/series/published.h"

namespace chronoveil::engine {

// Whether a plan prices every candidate, or only where the job leaves the choice to us.
enum class Compare { when_needed, always };

// A debit for the same job over the same span that is in the ledger already.
struct EarlierDebit {
  ledger::DebitId id;
  ledger::State state = ledger::State::reserved;
  bool stored = false;    // its release can be emitted anew
  bool taken_up = false;  // nothing was drawn for it: the next run of this job uses it, at no further cost
  std::optional<report::ProgrammeUse> programme = std::nullopt;  // that the slot belongs to
};

// Validates job, columns, outputs and budget. Makes no debit and reads no value, except that with `read_data` the data
// is read and bounded as in a run, and forgotten: its errors are found before they cost a debit.
template <class Plan>
struct CheckedJob {
  Plan planned;
  ledger::View budget;  // as it stands
  ledger::Cost cost;    // of the debit
  std::optional<EarlierDebit> earlier;
  ledger::Room room;  // for debits like this one; not counted for a live release that goes on
  std::optional<char> shown_delimiter = std::nullopt;  // by the header of a CSV, where the job does not give one
  std::optional<DataSeen> seen = std::nullopt;         // with `read_data`
};
// Whether the rows can be read by a check: standard input and pipes can be read only once, and rows that a program
// pushes to a live release are not there yet.
bool rows_can_be_checked(const Job&);

}  // namespace chronoveil::engine
