// Everybody's cells with what they hold there, before any cap: for numbers of people, not for counts. A cell is a
// series or a place in a slot, numbered series * T + slot.
//   Exact   a person is the exact string of the user column (string_table.h says why not its hash)
//   Memory  16 bytes for each pair of person and cell, and as much again while rows come
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "chronoveil/bound/counts.h"
#include "chronoveil/bound/tables/string_table.h"

namespace chronoveil::bound {

struct PersonCell {
  std::uint32_t person = 0;
  std::uint32_t cell = 0;
  std::int64_t amount = 0;
};

class PersonCells {
 public:
  // The number of the person, from 0. `hash` is the user's, under one key for all.
  std::uint32_t add(const ShortText& user, std::uint64_t hash, std::uint32_t cell, std::int64_t amount) {
    const std::uint32_t person = people_.find_or_add(user, hash);
    if (cells_.size() >= merge_at_) merge();
    cells_.push_back({person, cell, amount});
    return person;
  }

  // Calls use(cells) for each person: one entry per cell, ascending.
  template <class Use>
  void for_each_person(Use use) {
    merge();
    for (auto first = cells_.begin(); first != cells_.end();) {
      const auto last =
          std::find_if(first, cells_.end(), [&](const auto& each) { return each.person != first->person; });
      use(std::span<const PersonCell>(first, last));
      first = last;
    }
  }

 private:
  static constexpr std::size_t kSmallest = 1 << 16;

  void merge() {
    std::sort(cells_.begin(), cells_.end(), [](const PersonCell& a, const PersonCell& b) {
      return a.person != b.person ? a.person < b.person : a.cell < b.cell;
    });
    std::size_t kept = 0;
    for (const PersonCell& next : cells_) {
      const bool same = kept > 0 && cells_[kept - 1].person == next.person && cells_[kept - 1].cell == next.cell;
      if (same)
        cells_[kept - 1].amount =
            add_up_to(std::numeric_limits<std::int64_t>::max(), cells_[kept - 1].amount, next.amount);
      else
        cells_[kept++] = next;
    }
    cells_.resize(kept);
    merge_at_ = std::max(kSmallest, 2 * kept);
  }

  StringTable people_;
  std::vector<PersonCell> cells_;
  std::size_t merge_at_ = kSmallest;
};

}  // namespace chronoveil::bound
