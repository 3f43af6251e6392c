// Live bounding: the counts of one slot at a time, in which nobody counts for more than the caps say. Memory grows with
// the people of one slot, not with the life of the release.
//   user      a person's first I pairs (series, slot), in the order in which they first come, over the life of the
//             release, and at most c in each; a Participation keeps how many are used up; it is durable before the
//             slot's counts are used
//   event,    at most c per person and slot, all series together, in the order in which they come: nothing to remember
//   w-event   between slots
//   Why       what counts of a person depends only on that person's own records and their order
//   Edges     an amount of 0 is no pair; a slot without records is all zeros
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "chronoveil/bound/bounded_series.h"
#include "chronoveil/bound/people/participation.h"

namespace chronoveil::bound {

class SlotBounder {
 public:
  // `participation` is needed for unit user if a person could exceed max_steps; if nobody can, it is null, and
  // max_steps holds within each slot alone.
  SlotBounder(std::int64_t series, const Caps&, std::unique_ptr<Participation> participation);
  SlotBounder(SlotBounder&&) noexcept;
  SlotBounder& operator=(SlotBounder&&) noexcept;
  ~SlotBounder();

  // One record of the open slot: `person` not empty, `series` from 0, `amount` >= 0. A record that cannot be taken (a
  // broken precondition, or no memory left) makes close() fail.
  void add(std::string_view person, std::int64_t series, std::int64_t amount);
  // The counts of the slot, one per series, clamped to the maximum. Opens the next slot. After an error the slot is as
  // before. Errors are usage (the caps), storage, or internal (a slot before one that is closed).
  Result<std::vector<std::int64_t>> close(std::int64_t step);

 private:
  class Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace chronoveil::bound
