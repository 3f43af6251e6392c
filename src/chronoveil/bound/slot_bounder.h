// Live bounding: the counts of one slot at a time, in which nobody counts for more than the caps say. Memory grows with
// the people of one slot, not with the life of the release.
//   user      a person's first I pairs (series, slot), in the order in which they come, over the life of the release;
//             how many of them are gone is kept in a Participation, which is durable before the slot's counts are used
//   event,    at most c a person in one slot, all series together: nothing to remember between slots
//   w-event
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/bound/bounded_series.h"

namespace chronoveil::bound {

// How many pairs each person has used up: a small database, the owner's alone. Names are stored as keyed hashes.
//   Crashes   a slot that is bounded again, since its counts were never used, finds what was before that slot
class Participation {
 public:
  // Opens or makes the file, mode 0600. Errors are storage.
  static Result<std::unique_ptr<Participation>> open(const std::string& path);
  virtual ~Participation() = default;

  // What each person has used before slot `step`, in the order of the names.
  virtual Result<std::vector<std::int64_t>> used_before(std::int64_t step,
                                                        const std::vector<std::string_view>& people) = 0;
  // Adds, durably, what each uses in slot `step`. Repeating it for the same slot replaces what was added for it.
  virtual Result<void> use(std::int64_t step, const std::vector<std::string_view>& people,
                           const std::vector<std::int64_t>& pairs) = 0;
};

class SlotBounder {
 public:
  // `participation` is needed for unit user when a person could exceed max_steps; none when nobody can.
  SlotBounder(std::int64_t series, const Caps&, std::unique_ptr<Participation> participation);
  SlotBounder(SlotBounder&&) noexcept;
  ~SlotBounder();

  // One record of the open slot. `amount` >= 0.
  void add(std::string_view person, std::int64_t series, std::int64_t amount);
  // The counts of the slot, one a series, clamped to the maximum; the next slot is open then.
  Result<std::vector<std::int64_t>> close(std::int64_t step);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace chronoveil::bound
