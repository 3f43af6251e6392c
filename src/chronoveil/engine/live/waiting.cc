#include "chronoveil/engine/live/waiting.h"

#include <utility>

namespace chronoveil::engine {

bool WaitingRows::add(std::int64_t time, std::string_view person, std::int64_t series, std::int64_t amount,
                      const OpenStep& step) {
  const std::optional<std::int64_t> begin = slots_.slot_of(time);
  if (!begin) return false;
  const auto [at, is_new] = waiting_.try_emplace(*begin);
  Slot& slot = at->second;
  if (is_new) slot.people = step.new_people();
  if (slot.people) {
    slot.people->add(person, series, amount);
  } else {
    slot.counts[series] += amount;
  }
  return true;
}

void WaitingRows::hand_over(std::int64_t begin, OpenStep& step) {
  if (const auto found = waiting_.find(begin); found != waiting_.end()) {
    if (found->second.people) step.take(std::move(found->second.people));
    for (const auto& [series, count] : found->second.counts) step.add(series, count);
  }
  waiting_.erase(waiting_.begin(), waiting_.upper_bound(begin));
  slots_.forget_before(begin + 1);
}

}  // namespace chronoveil::engine
