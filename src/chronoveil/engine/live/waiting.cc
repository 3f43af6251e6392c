#include "chronoveil/engine/live/waiting.h"

#include <algorithm>

namespace chronoveil::engine {

void WaitingRows::add(std::int64_t time, std::string_view person, std::int64_t series, std::int64_t amount) {
  rows_[time].push_back({came_++, std::string(person), series, amount});
}

void WaitingRows::hand_over(std::int64_t before, OpenStep& step) {
  const auto end = rows_.lower_bound(before);
  std::vector<const Row*> ordered;
  for (auto at = rows_.begin(); at != end; ++at)
    for (const Row& row : at->second) ordered.push_back(&row);
  std::sort(ordered.begin(), ordered.end(), [](const Row* a, const Row* b) { return a->number < b->number; });
  for (const Row* row : ordered) step.add(row->person, row->series, row->amount);
  rows_.erase(rows_.begin(), end);
}

}  // namespace chronoveil::engine
