// Strings, each stored once and numbered by first appearance.
//   Exact   strings are compared to the last byte. For people that matters: were two of them taken for one, they would
//           share one cap, and removing one would let in up to I further pairs of the other, a change of 2I pairs
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <vector>

#include "chronoveil/bound/hash_index.h"

namespace chronoveil::bound {

class StringTable {
 public:
  std::uint32_t size() const { return index_.size(); }
  void prefetch(std::uint64_t hash) const { index_.prefetch(hash); }

  // `hash` is of the string, under one key for the whole table. HashIndex::kNone when it was never added.
  std::uint32_t find(std::string_view text, std::uint64_t hash) const {
    return index_.find(hash, [&](std::uint32_t number) { return texts_[number] == text; });
  }

  std::uint32_t find_or_add(std::string_view text, std::uint64_t hash) {
    const std::uint32_t number = index_.find_or_add(hash, [&](std::uint32_t n) { return texts_[n] == text; });
    if (number == texts_.size()) texts_.push_back(keep(text));
    return number;
  }

 private:
  static constexpr std::size_t kChunk = 1 << 16;  // bytes

  std::string_view keep(std::string_view text) {
    if (text.empty()) return {};
    if (text.size() > left_) {
      left_ = text.size() > kChunk ? text.size() : kChunk;
      chunks_.push_back(std::make_unique_for_overwrite<char[]>(left_));
      free_ = chunks_.back().get();
    }
    char* const copy = free_;
    std::memcpy(copy, text.data(), text.size());
    free_ += text.size();
    left_ -= text.size();
    return {copy, text.size()};
  }

  HashIndex index_;
  std::vector<std::string_view> texts_;          // by number
  std::vector<std::unique_ptr<char[]>> chunks_;  // which hold their bytes
  char* free_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace chronoveil::bound
