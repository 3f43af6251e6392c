// How many pairs (series, slot) each person has used up in a live release: a small SQLite database, for the owner alone
// (mode 0600, write-ahead log, synchronous=FULL), open in one process at a time.
//   Names     stored as 128-bit BLAKE2b under a random key. The key lies in the same file, so this only keeps names out
//             of plain sight: the file is as private as the records. Two people with the same hash would share one cap
//             (string_table.h); among a thousand million people the chance is below 2^-68
//   Crashes   for each person: the last slot, and what was used before and after it. If a slot is bounded again, since
//             its counts were never used, it starts from what was used before that slot and counts nobody twice
//   Damage    each row has a MAC, and seal() sums up the file in a few numbers. A process that reopens a file gives the
//             seal that it had: a file in which any limit has changed is refused, and so is an older file, or another
//             one. This holds against attackers who can write the file and cannot read the seal, which carries a secret
//             that is not in the file (participation_keys.h says why). Who can read the seal can look for other rows
//             that fit it, and who can write it need not even look: like the file, it is for the owner alone
//   Crashes   between two files: nothing in this file depends on the secret, so secret and seal are replaced together,
//             where the seal is kept, and need not be in step with this file
//   Forward   a slot before a person's last one is refused (internal): what was used before it is no longer known
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/bound/people/participation_keys.h"

namespace chronoveil::bound {

enum class Missing { make, refuse };  // a file that is not there, or that is empty

// The seal that a file must have, as of the beginning of slot `step`. What was added for that slot may be in the file
// or not: the process that added it may have died before it took the seal, and the slot will be bounded again.
struct ParticipationAsOf {
  std::int64_t step = 0;
  ParticipationSeal seal;
};

class Participation {
 public:
  // Opens or creates the file, mode 0600, in an existing folder. A release that has begun must refuse a missing file: a
  // new one would give everybody all pairs again. Errors are storage.
  static Result<std::unique_ptr<Participation>> open(const std::string& path, Missing = Missing::make,
                                                     const std::optional<ParticipationAsOf>& = {});
  // Whether open() would accept a file that no process has open, found out without a lock and without writing. False if
  // that cannot be told without writing, since a process that had it open was killed.
  static Result<bool> verify(const std::string& path, const ParticipationAsOf&);
  virtual ~Participation() = default;

  // The latest slot that anything was added for; -1 before the first. It reveals an older copy of the file.
  virtual std::int64_t last_slot() const = 0;
  // The seal of everything added so far, under the secret of the seal that the file was opened with; under a new secret
  // if that seal had none, or if there was no seal.
  virtual ParticipationSeal seal() const = 0;

  // What each person has used before slot `step`, in the order of the names; 0 for people never seen.
  virtual Result<std::vector<std::int64_t>> used_before(std::int64_t step,
                                                        const std::vector<std::string_view>& people) = 0;
  // Adds what each person uses in slot `step`: durably, and for all or none. No name is given twice. Repeating it for
  // the same slot replaces what was added for it. Nothing is written when there is nobody.
  virtual Result<void> use(std::int64_t step, const std::vector<std::string_view>& people,
                           const std::vector<std::int64_t>& pairs) = 0;
};

}  // namespace chronoveil::bound
