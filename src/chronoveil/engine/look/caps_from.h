// Whether the caps of a job are what a look made of them: its guarantee says so, and a look of other rows, or caps that
// somebody changed afterwards, may have been chosen by peeking.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "chronoveil/base/guarantee.h"
#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/job/job_text.h"
#include "chronoveil/engine/release/store.h"
#include "chronoveil/ledger/ledger.h"

namespace chronoveil::engine {

// The job without what a look finds, and without what its release does with it.
Job without_caps(const Job&);
// The keys that a look may change, and is still the same look.
const std::vector<std::string>& found_by_look();
// Which rows, keys, places and span a look asks about, and the caps that it leaves to the job: all that it proposed
// nothing for.
std::string asked_of(const Job&, const KeyValues& proposal);

// What a release with caps of a look says of them; empty for a job without. Refused: a debit of this ledger that is no
// look.
//   enforced   the look asked about what this job asks about, and the job has every value that it proposed
//   declared   all else: the look is not stored here, or asked about something else, or proposed something else
Result<std::optional<Assumption>> caps_of_look(const Job&, ledger::Ledger&, const ReleaseStore&);
// In place of what the plan said, which knows no ledger.
void say_caps_of_look(const std::optional<Assumption>& now, const std::string& debit, std::vector<Assumption>&);

}  // namespace chronoveil::engine
