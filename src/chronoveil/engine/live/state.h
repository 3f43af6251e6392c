// The state of a live release on disk: two files, written in turn. Each holds a whole state, numbered and hashed, so
// that a write that is cut off leaves the previous state in the other file.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/bound/people/participation_keys.h"
#include "chronoveil/mechanisms/live.h"

namespace chronoveil::engine {

// What a state says of its debit, for a ledger that knows less (engine/release/audit.h).
struct LiveWitness {
  std::int64_t debit = -1, holder = 0, asked = 0, before = 0;  // as in LiveState
};

// How far a file has come that grows and is only appended to.
struct LiveTail {
  std::int64_t begun = 0;   // where the rows of this span begin in it
  std::int64_t synced = 0;  // bytes of it that are on the disk for certain
  std::string unsynced;     // what follows them there

  LiveTail of_next_span() const { return {synced + static_cast<std::int64_t>(unsynced.size()), synced, unsynced}; }
};

struct LiveState {
  std::int64_t format = mechanisms::kLiveStateFormat;  // of what the mechanism keeps
  std::int64_t debit = -1;                             // the row of the ledger; none while the span is being opened
  std::int64_t holder = 0;                             // a random number in the debit's tag: who opened the span
  std::int64_t token = 0;    // of the last uses that were worked out, a random number; 0 before the first
  std::int64_t before = 0;   // of the uses before those
  std::int64_t span = 0;     // spans of the job that came before this one
  std::int64_t step = 0;     // the next to publish
  std::int64_t next = 0;     // the instant at which it begins: kept, since a law may change clocks
  std::int64_t asked = 0;    // uses of the debit that are used up
  std::int64_t people = -1;  // the latest slot with stored participation
  // The seal of the file of participation when `step` began. Absent where no participation is stored, and in folders of
  // versions before seals. Its secret is here and not in that file, so that the file alone does not suffice to forge
  // another one; a seal without a secret gets one with the next published step.
  std::optional<bound::ParticipationSeal> seal;
  std::int64_t begun = 0;              // where the rows of this span begin in the output
  std::int64_t synced = 0;             // bytes of the output that are on the disk for certain
  std::string unsynced;                // what follows them there
  std::optional<LiveTail> totals;      // of the file of sums, where there is one; none in states of earlier versions
  std::vector<std::uint64_t> process;  // what the mechanism keeps
  // While a span is being opened, the debit before it: that one was paid for whether or not the opening succeeds.
  // Without it in states of earlier versions.
  std::optional<LiveWitness> earlier;

  // Of the latest debit that this state knows.
  std::optional<LiveWitness> witness() const { return debit < 0 ? earlier : LiveWitness{debit, holder, asked, before}; }
};

class LiveStateFiles {
 public:
  // FOLDER/state.0 and FOLDER/state.1. Refused when files are there and none of them is whole.
  static Result<LiveStateFiles> open(const std::string& folder);
  LiveStateFiles(LiveStateFiles&&) noexcept;
  LiveStateFiles& operator=(LiveStateFiles&&) = delete;
  ~LiveStateFiles();

  const std::optional<LiveState>& latest() const { return latest_; }
  // Durable when it returns; the given state is then the latest.
  Result<void> save(LiveState);
  // The same in both files, and without what the mechanism keeps, which nobody needs once a release is over. Running
  // totals keep sums of counts without noise.
  Result<void> save_last(LiveState);

 private:
  LiveStateFiles() = default;

  std::string folder_;
  int files_[2] = {-1, -1};
  std::uint64_t number_ = 0;  // of the latest; odd ones are in state.1
  std::optional<LiveState> latest_;
  std::string buffer_;
};

// save_last() for a release that cannot be opened any more; a state of a later debit is left alone. Files of which none
// holds a whole state stay what they are, damaged, but lose all that could be of the mechanism.
Result<void> forget_live_process(const std::string& folder, std::int64_t debit);

// The latest state, if any, without opening the files for writing.
Result<std::optional<LiveState>> read_live_state(const std::string& folder);

}  // namespace chronoveil::engine
