#include "chronoveil/bound/kept_cells.h"

#include <algorithm>
#include <stdexcept>

namespace chronoveil::bound {

namespace {

// Lists shorter than this are not worth sorting.
constexpr std::int64_t kShort = 4;

bool comes_before(const KeptCells::Entry& a, const KeptCells::Entry& b) {
  return a.priority != b.priority ? a.priority < b.priority : a.cell < b.cell;
}

}  // namespace

KeptCells::KeptCells(const Rule& rule)
    : rule_(rule),
      first_cut_(static_cast<std::uint32_t>(2 * std::min(kShort, rule.keep == Keep::cells ? rule.limit : rule.cap))) {}

void KeptCells::add_chunk() {
  if (used_ >= kEnd - kChunk) throw std::length_error("more than 2^32 entries");
  chunks_.push_back(std::make_unique<Entry[]>(kChunk));
}

void KeptCells::gather(const Owner& of) {
  sorted_.clear();
  for (std::uint32_t at = of.head; at != kEnd; at = sorted_.back().next) sorted_.push_back(entry(at));
  std::sort(sorted_.begin(), sorted_.end(), comes_before);
  std::size_t kept = 0;
  std::int64_t used = 0;  // limit - used cells, or an amount of cap - used, may still come
  const std::int64_t most = rule_.keep == Keep::cells ? rule_.limit : rule_.cap;
  for (std::size_t i = 0; i < sorted_.size() && used < most;) {
    Entry merged = sorted_[i++];
    const std::int64_t cap = rule_.keep == Keep::cells ? rule_.cap : rule_.cap - used;
    for (; i < sorted_.size() && sorted_[i].cell == merged.cell && sorted_[i].priority == merged.priority; ++i) {
      merged.amount = std::min(cap, merged.amount + sorted_[i].amount);
    }
    merged.amount = std::min(cap, merged.amount);
    used += rule_.keep == Keep::cells ? 1 : merged.amount;
    sorted_[kept++] = merged;
  }
  sorted_.resize(kept);
  full_ = used == most;
}

void KeptCells::cut(Owner& of) {
  gather(of);
  std::uint32_t at = of.head, last = kEnd;
  for (const Entry& kept : sorted_) {
    Entry& target = entry(at);
    target = {kept.priority, kept.amount, kept.cell, target.next};
    last = at;
    at = target.next;
  }
  entry(last).next = kEnd;  // an offer was just made, so at least one entry stays
  while (at != kEnd) {
    const std::uint32_t next = entry(at).next;
    entry(at).next = free_;
    free_ = at;
    at = next;
  }
  of.size = static_cast<std::uint32_t>(sorted_.size());
  of.cut_at = std::max(first_cut_, 2 * of.size);
  if (full_) of.last_priority = sorted_.back().priority;
}

const std::vector<KeptCells::Entry>& KeptCells::kept(std::uint32_t owner) {
  gather(owners_[owner]);
  return sorted_;
}

}  // namespace chronoveil::bound
