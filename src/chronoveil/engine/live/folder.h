// Where a live release keeps what it needs to go on: LEDGER.live/DATASET/NAME/, beside the ledger that holds its debit;
// for a PostgreSQL ledger in the user's data folder. For the owner alone. It holds the state, how the release was
// opened, and, where caps are enforced on records, how many steps each person has used up.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/release/beside_ledger.h"
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
  // The digest of the opening, as stored and as it would be stored: sixteen hexadecimal digits.
  Result<std::string> opening_digest() const;
  static std::string opening_digest(const report::Published&);

 private:
  explicit LiveFolder(const std::filesystem::path& path) : path_(path.string()) {}
  std::string path_;
};

// facts_of() and what else must not change while a release is open: its name, its output file, how values are written.
Facts live_facts_of(const Job&);

// The first difference, in words: "privacy.epsilon was 1 when the release was opened and is 2 now"; empty without one.
std::string difference(const Facts& before, const Facts& now);

}  // namespace chronoveil::engine
