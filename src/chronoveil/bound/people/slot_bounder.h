// Live bounding: the counts of one slot at a time, in which nobody counts for more than the caps say. Memory grows with
// the people of one slot, not with the life of the release.
//   user      a person's first I pairs (series, slot), in the order in which they first come, over the life of the
//             release, and at most c in each; a Participation keeps how many are used up; it is durable before the
//             slot's counts are used
//   event,    at most c per person and slot, all series together, in the order in which they come: nothing to remember
//   w-event   between slots
//   Why       what counts of a person depends only on that person's own records and their order
//   Edges     a slot without records is all zeros
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "chronoveil/bound/people/participation.h"
#include "chronoveil/bound/people/slot_people.h"

namespace chronoveil::bound {

class SlotBounder {
 public:
  // `participation` is needed for unit user if a person could exceed max_steps; if nobody can, it is null, and
  // max_steps holds within each slot alone.
  SlotBounder(std::int64_t series, const Caps&, std::unique_ptr<Participation> participation);

  // A slot that nobody is in yet.
  std::unique_ptr<SlotPeople> new_slot() const { return std::make_unique<SlotPeople>(series_, caps_); }
  // The counts of the slot, one per series, clamped to the maximum. After an error nothing is used up, and the slot can
  // be closed again. Errors are usage (the caps), storage, or internal (a slot before one that is closed).
  Result<std::vector<std::int64_t>> close(std::int64_t step, const SlotPeople&);

 private:
  Result<std::vector<std::int64_t>> pairs_left(std::int64_t step, const SlotPeople&);
  Result<void> remember(std::int64_t step, const SlotPeople&, const std::vector<std::int64_t>& uses);

  std::int64_t series_;
  Caps caps_;
  std::unique_ptr<Participation> participation_;
  std::optional<Error> problem_;  // why nothing can be closed
};

}  // namespace chronoveil::bound
