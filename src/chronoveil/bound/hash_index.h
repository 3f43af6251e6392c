// Numbers 0, 1, 2, ... found by a hash: an open-addressing table with linear probing, at most half full. What the
// numbers stand for lies with the caller, who also decides whether two are the same: a hash alone never does.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

namespace chronoveil::bound {

class HashIndex {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  HashIndex() : slots_(kSmallest) {}

  std::uint32_t size() const { return size_; }
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }

  // The number with this hash of which same(number) holds, or kNone.
  template <class Same>
  std::uint32_t find(std::uint64_t hash, Same same) const {
    return slots_[position(hash, same)].number;
  }

  // The same; when there is none, size() before the call is added under this hash and returned.
  template <class Same>
  std::uint32_t find_or_add(std::uint64_t hash, Same same) {
    Slot& slot = slots_[position(hash, same)];
    if (slot.number != kNone) return slot.number;
    if (size_ == kNone) throw std::length_error("more than 2^32 entries");
    slot = {hash, size_};
    if (2 * std::size_t{++size_} > slots_.size()) grow();
    return size_ - 1;
  }

 private:
  static constexpr std::size_t kSmallest = 64;
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t number = kNone;
  };

  template <class Same>
  std::size_t position(std::uint64_t hash, Same same) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].number != kNone && !(slots_[at].hash == hash && same(slots_[at].number))) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.number != kNone) slots_[position(slot.hash, [](std::uint32_t) { return false; })] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::uint32_t size_ = 0;
};

}  // namespace chronoveil::bound
