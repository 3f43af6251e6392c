// For each of many owners, which of the offered cells stay: always those that come first by priority. A cell is one
// pair (series, slot), numbered series * T + slot.
//
//   Keep::cells    the owner is a person: the first `limit` cells, at most `cap` in each (unit user)
//   Keep::amount   the owner is a person in one slot: the first cells until `cap` is used up, the last of them perhaps
//                  in part (units event and w-event)
//
// What stays is a function of the set of offers alone, not of their order:
//   - A cell that is dropped has `limit` cells (or an amount of `cap`) before it. Those only ever give way to cells
//     that come before them, so the dropped cell could never return; it is dropped for good.
//   - A cell that stays at the end always had fewer before it, so none of its offers was lost.
//   - Priorities may tie; then the cell's number decides.
// Amounts are sums of non-negative numbers cut off at the cap, which do not depend on order either.
//
// Memory: an owner has at most max(2 limit, kInside) entries (2 cap for Keep::amount): offers are appended, and when
// there is no room, they are sorted, merged and cut. So an offer costs O(log limit) on average, however many there are.
// A few entries lie inside the owner, in one cache line: most people have few.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory_resource>
#include <utility>
#include <vector>

#include "chronoveil/bound/tables/large_pages.h"

namespace chronoveil::bound {

enum class Keep { cells, amount };

struct KeepRule {
  Keep keep = Keep::cells;
  std::int64_t limit = 1;  // I, for Keep::cells
  std::int64_t cap = 1;    // c; at most what an Amount holds
};

struct KeptCell {
  std::uint64_t priority;
  std::int64_t amount;
  std::uint32_t cell;
};

// Priority is a function of (person, cell): it is called only when something has to be dropped.
template <class Amount, class Priority>
class KeptCells {
  struct Entry {
    std::uint32_t cell;
    Amount amount;
  };

 public:
  static constexpr std::uint32_t kInside = 40 / sizeof(Entry);

  KeptCells(const KeepRule& rule, Priority priority)
      : rule_(rule), most_(rule.keep == Keep::cells ? rule.limit : rule.cap), priority_(std::move(priority)) {}
  KeptCells(const KeptCells&) = delete;
  KeptCells& operator=(const KeptCells&) = delete;

  void prefetch(std::uint32_t owner) const {
    if (owner < owners_.size()) __builtin_prefetch(&owners_[owner], 1);
  }

  // `amount` at least 1. Owners are numbered as they first appear, and `person` is always the same for one of them.
  void offer(std::uint32_t owner, std::uint64_t person, std::uint32_t cell, std::int64_t amount) {
    if (owner == owners_.size()) owners_.emplace_back(person);
    Owner& of = owners_[owner];
    if (of.last_priority != kEverything && priority_(person, cell) > of.last_priority) return;
    of.entries()[of.size++] = {cell, static_cast<Amount>(std::min(amount, rule_.cap))};
    if (of.size == of.room) cut(of);
  }

  std::uint32_t owners() const { return static_cast<std::uint32_t>(owners_.size()); }
  std::uint32_t room_of(std::uint32_t owner) const { return owners_[owner].room; }  // in entries

  // What stays. Valid until the next call.
  const std::vector<KeptCell>& kept(std::uint32_t owner) {
    if (constexpr std::uint32_t kAhead = 8; owner + kAhead < owners_.size()) {
      __builtin_prefetch(owners_[owner + kAhead].entries());
    }
    gather(owners_[owner]);
    return gathered_;
  }

 private:
  static constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();

  struct alignas(64) Owner {
    explicit Owner(std::uint64_t of_person) : person(of_person) {}
    Entry* entries() { return room > kInside ? outside : inside; }
    const Entry* entries() const { return room > kInside ? outside : inside; }

    std::uint64_t person;
    std::uint64_t last_priority = kEverything;  // offers beyond it are dropped
    std::uint32_t size = 0;
    std::uint32_t room = kInside;
    union {
      Entry inside[kInside];
      Entry* outside;
    };
  };
  static_assert(sizeof(Owner) == 64);

  // Puts the owner's entries into gathered_: merges equal cells and removes the excess. Without priorities if there can
  // be no excess; then full_ stays false.
  void gather(const Owner& of) {
    gathered_.clear();
    const Entry* const entries = of.entries();
    std::int64_t needed = of.size;
    if (rule_.keep == Keep::amount) {
      needed = 0;
      for (std::uint32_t i = 0; i < of.size && needed <= most_; ++i) needed += entries[i].amount;
    }
    const bool all_stay = needed <= most_;
    for (std::uint32_t i = 0; i < of.size; ++i) {
      const Entry& entry = entries[i];
      gathered_.push_back({all_stay ? 0 : priority_(of.person, entry.cell), entry.amount, entry.cell});
    }
    std::sort(gathered_.begin(), gathered_.end(), [](const KeptCell& a, const KeptCell& b) {
      return a.priority != b.priority ? a.priority < b.priority : a.cell < b.cell;
    });
    std::size_t kept = 0;
    std::int64_t used = 0;  // of most_
    for (std::size_t i = 0; i < gathered_.size() && used < most_;) {
      KeptCell merged = gathered_[i++];
      const std::int64_t cap = rule_.keep == Keep::cells ? rule_.cap : rule_.cap - used;
      // Neither amount is above 2^53, so the sum is exact.
      for (; i < gathered_.size() && gathered_[i].cell == merged.cell; ++i) {
        merged.amount = std::min(cap, merged.amount + gathered_[i].amount);
      }
      merged.amount = std::min(cap, merged.amount);
      used += rule_.keep == Keep::cells ? 1 : merged.amount;
      gathered_[kept++] = merged;
    }
    gathered_.resize(kept);
    full_ = !all_stay && used == most_;
  }

  // Gathers, and puts back what stays. Makes more room if more than half is still taken.
  void cut(Owner& of) {
    gather(of);
    of.size = static_cast<std::uint32_t>(gathered_.size());
    if (full_) of.last_priority = gathered_.back().priority;
    const auto room = static_cast<std::uint32_t>(2 * std::min<std::int64_t>(of.room, most_));
    if (of.size > of.room / 2 && room > of.room) {
      Entry* const larger = static_cast<Entry*>(blocks_.allocate(room * sizeof(Entry), alignof(Entry)));
      if (of.room > kInside) blocks_.deallocate(of.outside, of.room * sizeof(Entry), alignof(Entry));
      of.outside = larger;
      of.room = room;
    }
    Entry* entry = of.entries();
    for (const KeptCell& kept : gathered_) *entry++ = {kept.cell, static_cast<Amount>(kept.amount)};
  }

  KeepRule rule_;
  std::int64_t most_;  // cells, or amount, that one owner may have
  Priority priority_;
  std::vector<Owner, LargePages<Owner>> owners_;
  std::pmr::unsynchronized_pool_resource blocks_;  // entries that lie outside; gives all of them back in the end
  std::vector<KeptCell> gathered_;
  bool full_ = false;  // a cell that comes after all of gathered_ has no room
};

}  // namespace chronoveil::bound
