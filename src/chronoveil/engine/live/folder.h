// Where a live release keeps what it needs to go on: LEDGER.live/DATASET/NAME/, beside the ledger that holds its debit;
// for a PostgreSQL ledger in the user's data folder. For the owner alone. It holds the state, how the release was
// opened, and, where caps are enforced on records, how many steps each person has used up.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/live/state.h"
#include "chronoveil/engine/release/beside_ledger.h"
#include "chronoveil/ledger/debit.h"
#include "chronoveil/report/series/published.h"

namespace chronoveil::engine {

// What was true when the release was opened. The plan is kept as it was: a later version of the program must draw the
// noise that was debited.
struct LiveOpening {
  Facts facts;                  // of the job, its name and its output included
  report::Published published;  // without values: guarantee and plan
};

class LiveFolder {
 public:
  static Result<LiveFolder> of_release(const std::string& ledger_place, const Job&);

  const std::string& path() const { return path_; }
  // Caps hold over what one debit pays for, so each debit has a file of its own.
  std::string people(std::int64_t debit) const { return path_ + "/people." + std::to_string(debit) + ".db"; }
  void forget_people(std::int64_t debit) const;
  // Forgets the people of all other debits, which are over: a kill may have prevented this before.
  void forget_other_people(std::int64_t debit) const;
  // Whether a release was ever opened here. What is there and cannot be read counts.
  bool has_opening() const { return is_opening_in(path_); }
  static bool is_opening_in(const std::string& folder);
  Result<void> make() const;  // mode 0700, with the folders above it
  Result<FolderLock> lock() const;
  Result<void> put(const LiveOpening&) const;
  Result<LiveOpening> get() const;
  // What must not change while the release is open: as it was opened, and as it goes on where rows are read another way
  // since (go_on_with). What of that does not belong to this opening is left aside.
  Result<Facts> facts_opened() const;
  Result<Facts> facts_now() const;
  Result<void> put_facts_now(const Facts&) const;
  // The digest of the opening, as stored and as it would be stored: sixteen hexadecimal digits.
  Result<std::string> opening_digest() const;
  static std::string opening_digest(const report::Published&);

 private:
  explicit LiveFolder(const std::filesystem::path& path) : path_(path.string()) {}
  std::string path_;
};

// facts_of() and what else must not change while a release is open: its name, its output file, how values are written.
Facts live_facts_of(const Job&);

// Whether a job may go on with a release that is open.
//   All that a release asks is as it was opened: it is what was debited. The one exception is how rows are read (where
//   they lie, their form and the names of their columns), and only as long as nothing was published. So a format that
//   turns out to be wrong with the first file costs nothing but a new start.
//   Why it holds   Nothing was answered, and what people have used up begins anew with the first step. So the release
//                  is one that read all its rows the new way from the start, under the plan, the guarantee and the
//                  debit that it was opened with; which columns there are, on which these depend, may not change
//   Why not later  Once a step is published, a row that was in it could be read again as one of another step. Of counts
//                  nobody would see that its people are in more steps than the owner declared, and under another name
//                  of the column of users nobody would see that a person has used up the cap

// Whether two jobs differ in nothing but how their rows are read.
bool differ_in_reading_alone(const Facts&, const Facts&);

// Whether nothing of the release was answered or published.
bool is_untouched(const ledger::Debit&, const LiveState&);

// An error that names the key which changed. `untouched`: nothing was published.
Result<void> check_goes_on(const LiveFolder&, const Job&, bool untouched);
// The same; a change that is allowed is kept, durably, as what must not change from then on.
Result<void> go_on_with(const LiveFolder&, const Job&, bool untouched);

// The first difference, in words: "privacy.epsilon was 1 when the release was opened and is 2 now"; empty without one.
std::string difference(const Facts& before, const Facts& now);

}  // namespace chronoveil::engine
