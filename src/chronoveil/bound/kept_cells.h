// For each of many owners, the cells that stay of those that were offered: always the ones that come first by priority.
// A cell is one pair (series, slot), numbered series * T + slot.
//
//   Keep::cells    the owner is a person: the first `limit` cells, at most `cap` in each (unit user)
//   Keep::amount   the owner is a person in one slot: the first cells until `cap` is used up, the last of them perhaps
//                  in part (units event and w-event)
//
// What stays is a function of the set of offers alone, not of their order:
//   - A cell that is dropped has `limit` cells (or an amount of `cap`) before it. Those only ever give way to cells
//     that come before them, so the dropped cell could never return; it is dropped for good.
//   - A cell that stays at the end had fewer before it at all times, so none of its offers was lost.
//   - Priorities may tie; then the cell's number decides.
// Amounts are sums of non-negative numbers cut off at the cap, which do not depend on order either.
//
// Memory: an owner has fewer than 2 limit (or 2 cap) entries at any time: offers are appended, and when that many lie
// there, they are sorted, merged and cut. So an offer costs O(log limit) on average, however many there are.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace chronoveil::bound {

enum class Keep { cells, amount };

class KeptCells {
 public:
  struct Rule {
    Keep keep = Keep::cells;
    std::int64_t limit = 1;  // I, for Keep::cells
    std::int64_t cap = 1;    // c
  };
  struct Entry {
    std::uint64_t priority = 0;
    std::int64_t amount = 0;
    std::uint32_t cell = 0;
    std::uint32_t next = 0;
  };

  explicit KeptCells(const Rule&);

  void prefetch(std::uint32_t owner) const {
    if (owner < owners_.size()) __builtin_prefetch(&owners_[owner], 1);
  }

  // `amount` at least 1. Owners are numbered as they first appear: owner <= owners().
  void offer(std::uint32_t owner, std::uint32_t cell, std::uint64_t priority, std::int64_t amount) {
    if (owner == owners_.size()) owners_.push_back({kEverything, kEnd, 0, first_cut_});
    Owner& of = owners_[owner];
    if (priority > of.last_priority) return;
    const std::uint32_t at = take();
    entry(at) = {priority, amount < rule_.cap ? amount : rule_.cap, cell, of.head};
    of.head = at;
    if (++of.size == of.cut_at) cut(of);
  }

  std::uint32_t owners() const { return static_cast<std::uint32_t>(owners_.size()); }
  std::uint32_t entries_of(std::uint32_t owner) const { return owners_[owner].size; }
  std::uint32_t entries_in_memory() const { return used_; }  // of all owners, those to be used again included

  // What stays, by priority. Entries are valid until the next call.
  const std::vector<Entry>& kept(std::uint32_t owner);

 private:
  static constexpr std::uint64_t kEverything = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::uint32_t kChunk = 1 << 12;  // entries

  struct Owner {
    std::uint64_t last_priority;  // offers beyond it are dropped
    std::uint32_t head;           // of the list of entries
    std::uint32_t size;           // of the list
    std::uint32_t cut_at;         // the size at which it is cut
  };

  Entry& entry(std::uint32_t at) { return chunks_[at / kChunk][at % kChunk]; }
  std::uint32_t take() {
    if (free_ != kEnd) {
      const std::uint32_t at = free_;
      free_ = entry(at).next;
      return at;
    }
    if (used_ % kChunk == 0) add_chunk();
    return used_++;
  }
  void add_chunk();
  void gather(const Owner&);  // the list into sorted_, sorted, equal cells merged, what is too much removed
  void cut(Owner&);           // the same, and back into the list

  Rule rule_;
  std::uint32_t first_cut_;
  std::vector<Owner> owners_;
  std::vector<std::unique_ptr<Entry[]>> chunks_;
  std::uint32_t used_ = 0;
  std::uint32_t free_ = kEnd;
  std::vector<Entry> sorted_;
  bool full_ = false;  // sorted_ leaves no room for a cell that comes after it
};

}  // namespace chronoveil::bound
