// Strings, each stored once and numbered by first appearance.
//   Exact   strings are compared to the last byte. For people that matters: if two were taken for one, they would share
//           one cap, and removing one would let in up to I further pairs of the other, a change of 2I pairs
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <type_traits>
#include <vector>

#include "chronoveil/bound/tables/hash_table.h"

namespace chronoveil::bound {

// A string in 20 bytes: the text itself up to 16 of them, padded with zeros, or where it lies.
class ShortText {
 public:
  static constexpr std::size_t kInside = 16;

  ShortText() = default;
  explicit ShortText(std::string_view text)
      : size_(text.size() <= kInside ? static_cast<std::uint32_t>(text.size()) : kOutside) {
    if (size_ != kOutside) {
      copy_inside(text);
    } else {
      std::memcpy(bytes_.data(), &text, sizeof(std::string_view));
    }
  }

  friend bool operator==(const ShortText& a, const ShortText& b) {
    if (a.size_ != b.size_) return false;
    if (a.size_ != kOutside) return std::memcmp(a.bytes_.data(), b.bytes_.data(), kInside) == 0;
    return a.outside() == b.outside();
  }
  // Valid while this object is.
  std::string_view view() const { return is_outside() ? outside() : std::string_view(bytes_.data(), size_); }
  // The first 16 bytes, padded with zeros, as two numbers that compare as the bytes do.
  std::array<std::uint64_t, 2> start() const {
    std::array<std::uint64_t, 2> words;
    std::memcpy(words.data(), is_outside() ? outside().data() : bytes_.data(), kInside);
    return {__builtin_bswap64(words[0]), __builtin_bswap64(words[1])};
  }
  bool is_outside() const { return size_ == kOutside; }
  std::string_view outside() const {
    std::string_view text;
    std::memcpy(&text, bytes_.data(), sizeof(std::string_view));
    return text;
  }

 private:
  static_assert(sizeof(std::string_view) <= kInside);
  static constexpr std::uint32_t kOutside = kInside + 1;

  // Two copies of fixed size that overlap are quicker than one of variable size.
  void copy_inside(std::string_view text) {
    const auto copy_both_ends = [&](auto size) {
      std::memcpy(bytes_.data(), text.data(), size);
      std::memcpy(bytes_.data() + text.size() - size, text.data() + text.size() - size, size);
    };
    if (text.size() >= 8) {
      copy_both_ends(std::integral_constant<std::size_t, 8>());
    } else if (text.size() >= 4) {
      copy_both_ends(std::integral_constant<std::size_t, 4>());
    } else if (text.size() >= 2) {
      copy_both_ends(std::integral_constant<std::size_t, 2>());
    } else if (text.size() == 1) {
      bytes_[0] = text[0];
    }
  }

  std::uint32_t size_ = 0;
  alignas(4) std::array<char, kInside> bytes_ = {};
};

class StringTable {
 public:
  static constexpr std::uint32_t kNone = HashTable<ShortText>::kNone;

  std::uint32_t size() const { return table_.size(); }
  void prefetch(std::uint64_t hash) const { table_.prefetch(hash); }

  // `hash` is the text's hash, under one key for the whole table. kNone if the text was never added.
  std::uint32_t find(std::string_view text, std::uint64_t hash) const { return table_.find(ShortText(text), hash); }

  std::uint32_t find_or_add(std::string_view text, std::uint64_t hash) { return find_or_add(ShortText(text), hash); }
  std::uint32_t find_or_add(const ShortText& text, std::uint64_t hash) {
    return table_.find_or_add(
        text, hash, [this](const ShortText& key) { return key.is_outside() ? ShortText(copy(key.outside())) : key; });
  }

  // The numbers of all strings in the order of their bytes, as unsigned numbers: independent of which came first.
  std::vector<std::uint32_t> by_text() const {
    struct Numbered {
      std::array<std::uint64_t, 2> start;  // the first 16 bytes, padded with zeros: most strings differ there
      const ShortText* text;
      std::uint32_t number;
    };
    std::vector<Numbered> all;
    all.reserve(size());
    table_.for_each([&](std::uint32_t number, const ShortText& text) { all.push_back({text.start(), &text, number}); });
    std::sort(all.begin(), all.end(), [](const Numbered& a, const Numbered& b) {
      return a.start != b.start ? a.start < b.start : a.text->view() < b.text->view();
    });
    std::vector<std::uint32_t> numbers;
    numbers.reserve(all.size());
    for (const Numbered& one : all) numbers.push_back(one.number);
    return numbers;
  }

 private:
  static constexpr std::size_t kChunk = 1 << 16;  // bytes

  std::string_view copy(std::string_view text) {
    if (text.size() > left_) {
      left_ = text.size() > kChunk ? text.size() : kChunk;
      chunks_.push_back(std::make_unique_for_overwrite<char[]>(left_));
      free_ = chunks_.back().get();
    }
    char* const at = free_;
    std::memcpy(at, text.data(), text.size());
    free_ += text.size();
    left_ -= text.size();
    return {at, text.size()};
  }

  HashTable<ShortText> table_;
  std::vector<std::unique_ptr<char[]>> chunks_;  // texts that lie outside
  char* free_ = nullptr;
  std::size_t left_ = 0;
};

}  // namespace chronoveil::bound
