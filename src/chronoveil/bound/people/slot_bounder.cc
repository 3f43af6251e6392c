#include "chronoveil/bound/people/slot_bounder.h"

#include <algorithm>
#include <new>
#include <string_view>
#include <utility>

#include "chronoveil/bound/caps.h"
#include "chronoveil/bound/cell_finder.h"
#include "chronoveil/bound/counts.h"

namespace chronoveil::bound {

SlotBounder::SlotBounder(std::int64_t series, const Caps& caps, std::unique_ptr<Participation> participation)
    : series_(series), caps_(caps), participation_(std::move(participation)) {
  if (const Result<void> good = check_caps(caps); !good) problem_ = good.error();
  if (series < 1 || series > kMostCells)
    problem_ = Error{.kind = ErrorKind::usage, .message = "the number of series must be from 1 to 2^28"};
}

// Durable before it returns.
Result<std::vector<std::int64_t>> SlotBounder::close(std::int64_t step, const SlotPeople& slot) {
  if (problem_) return Failure(*problem_);
  if (slot.problem()) return Failure(*slot.problem());
  if (step < 0) return fail(ErrorKind::internal, "a slot before the first");
  try {
    Counts counts(series_, caps_.maximum);
    if (caps_.unit == Unit::user) {
      CV_TRY(const std::vector<std::int64_t> left, pairs_left(step, slot));
      std::vector<std::int64_t> uses(left.size());
      for (const SlotPeople::Pair& pair : slot.pairs()) {
        if (uses[pair.person] == left[pair.person]) continue;
        ++uses[pair.person];
        counts.add(pair.series, pair.amount);
      }
      if (participation_) CV_CHECK(remember(step, slot, uses));
    } else {
      for (const SlotPeople::Pair& pair : slot.pairs()) counts.add(pair.series, pair.amount);
    }
    std::int64_t clamped = 0;
    return std::move(counts).take(clamped);
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::storage, "not enough memory for the people of one slot");
  }
}

Result<std::vector<std::int64_t>> SlotBounder::pairs_left(std::int64_t step, const SlotPeople& slot) {
  std::vector<std::int64_t> left(slot.names().size(), caps_.max_steps);
  if (!participation_ || left.empty()) return left;
  CV_TRY(const std::vector<std::int64_t> used, participation_->used_before(step, slot.names()));
  for (std::size_t i = 0; i < left.size(); ++i) left[i] = std::max<std::int64_t>(0, caps_.max_steps - used[i]);
  return left;
}

// People with nothing left use nothing, however often the slot is closed, and need not be written again.
Result<void> SlotBounder::remember(std::int64_t step, const SlotPeople& slot, const std::vector<std::int64_t>& uses) {
  std::vector<std::string_view> people;
  std::vector<std::int64_t> pairs;
  for (std::size_t i = 0; i < uses.size(); ++i) {
    if (uses[i] == 0) continue;
    people.push_back(slot.names()[i]);
    pairs.push_back(uses[i]);
  }
  return people.empty() ? Result<void>() : participation_->use(step, people, pairs);
}

}  // namespace chronoveil::bound
