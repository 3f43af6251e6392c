// How many pairs (series, slot) each person has used up in a live release: a small SQLite database, the owner's alone
// (mode 0600, write-ahead log, synchronous=FULL), open in one process at a time.
//   Names     stored as 128-bit BLAKE2b under a random key. The key lies in the same file, so this keeps names out of
//             plain sight and no more: the file is as private as the records. Were two people taken for one, they would
//             share one cap (string_table.h); among a thousand million people the chance is below 2^-68
//   Crashes   for each person: the last slot, what was used before it, and what after it. A slot that is bounded again,
//             since its counts were never used, finds what was before that slot and counts nobody twice
//   Damage    each row has a MAC, and seal() says in a few numbers what the file amounts to. Whoever goes on with a
//   file
//             gives the seal that it had: a file in which anything has changed that limits somebody is refused, and so
//             is an older one, or another one. This holds against whoever can write the file and cannot read the seal,
//             which carries a secret that the file does not (participation_keys.h says why). Whoever can read the seal
//             can look for other rows that fit it, and whoever can write it needs not even look: keep it the owner's
//             alone, as the file is
//   Crashes   of two files: nothing in this one depends on the secret, so that secret and seal are replaced together,
//             with whatever keeps the seal, and never have to be in step with this file
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

// What a file must amount to, as of the beginning of slot `step`: what was added for that slot may be in it or not,
// since whoever added it may have died before the seal was taken, and will bound the slot again.
struct ParticipationAsOf {
  std::int64_t step = 0;
  ParticipationSeal seal;
};

class Participation {
 public:
  // Opens or makes the file, mode 0600, in a folder that is there. Whoever goes on with a release that has begun must
  // refuse a missing one: a new one would give everybody all pairs again. Errors are storage.
  static Result<std::unique_ptr<Participation>> open(const std::string& path, Missing = Missing::make,
                                                     const std::optional<ParticipationAsOf>& = {});
  // Whether a file that no process has open would be opened so, without a lock and without writing. False where that
  // cannot be told without writing, since a process that had it open was killed.
  static Result<bool> verify(const std::string& path, const ParticipationAsOf&);
  virtual ~Participation() = default;

  // The latest slot that anything was added for; -1 before the first. An older copy of the file shows in it.
  virtual std::int64_t last_slot() const = 0;
  // Of everything that was added so far; under the secret of the seal that the file was opened with, and under a new
  // one where there was none, or one without a secret.
  virtual ParticipationSeal seal() const = 0;

  // What each person has used before slot `step`, in the order of the names; 0 for who was never seen.
  virtual Result<std::vector<std::int64_t>> used_before(std::int64_t step,
                                                        const std::vector<std::string_view>& people) = 0;
  // Adds, durably and for all or none, what each uses in slot `step`. No name is given twice. Repeating it for the same
  // slot replaces what was added for it. Nothing is written when there is nobody.
  virtual Result<void> use(std::int64_t step, const std::vector<std::string_view>& people,
                           const std::vector<std::int64_t>& pairs) = 0;
};

}  // namespace chronoveil::bound
