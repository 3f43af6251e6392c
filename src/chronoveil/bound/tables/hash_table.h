// Keys numbered by first appearance: an open-addressing table with linear probing, at most five eighths full. Keys lie
// in the slots, so that finding one takes a single load from far memory, which can be prefetched.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "chronoveil/bound/tables/large_pages.h"

namespace chronoveil::bound {

template <class Key>
class HashTable {
 public:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  HashTable() : slots_(kSmallest) {}

  std::uint32_t size() const { return size_; }
  void prefetch(std::uint64_t hash) const { __builtin_prefetch(&slots_[hash & (slots_.size() - 1)]); }

  // `hash` is the key's hash, by one hash function for the whole table; it only says where to look. kNone if absent.
  std::uint32_t find(const Key& key, std::uint64_t hash) const { return slots_[position(key, hash)].number; }

  // The same; a new key gets the number size() and is stored as keep(key), which must be equal to it.
  template <class Keeper>
  std::uint32_t find_or_add(const Key& key, std::uint64_t hash, Keeper keep) {
    Slot& slot = slots_[position(key, hash)];
    if (slot.number != kNone) return slot.number;
    if (size_ == kNone - 1) throw std::length_error("more than 2^32 keys");
    slot = {hash, size_++, keep(key)};
    if (8 * std::size_t{size_} > 5 * slots_.size()) grow();
    return size_ - 1;
  }

  // Calls use(number, key) for all keys, in no particular order. Keys stay where they are until the next one is added.
  template <class Use>
  void for_each(Use use) const {
    for (const Slot& slot : slots_) {
      if (slot.number != kNone) use(slot.number, slot.key);
    }
  }

 private:
  static constexpr std::size_t kSmallest = 64;
  struct Slot {
    std::uint64_t hash = 0;
    std::uint32_t number = kNone;
    Key key = {};
  };

  std::size_t position(const Key& key, std::uint64_t hash) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = hash & mask;
    while (slots_[at].number != kNone && !(slots_[at].hash == hash && slots_[at].key == key)) at = (at + 1) & mask;
    return at;
  }

  void grow() {
    std::vector<Slot, LargePages<Slot>> old(2 * slots_.size());
    old.swap(slots_);
    const std::size_t mask = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.number == kNone) continue;
      std::size_t at = slot.hash & mask;
      while (slots_[at].number != kNone) at = (at + 1) & mask;
      slots_[at] = slot;
    }
  }

  std::vector<Slot, LargePages<Slot>> slots_;
  std::uint32_t size_ = 0;
};

}  // namespace chronoveil::bound
