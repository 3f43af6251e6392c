// What a process keeps between two steps, as 64-bit words: small, exact, the same on every machine of one byte order.
//   Reading   a reader that runs out of words gives zeros; complete() tells if words were missing or left
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace chronoveil {

class StateWriter {
 public:
  void put(std::int64_t value) { words_.push_back(static_cast<std::uint64_t>(value)); }
  void put(double value) { words_.push_back(std::bit_cast<std::uint64_t>(value)); }
  void put(bool value) { put(std::int64_t{value}); }

  std::vector<std::uint64_t> take() && { return std::move(words_); }

 private:
  std::vector<std::uint64_t> words_;
};

class StateReader {
 public:
  explicit StateReader(std::span<const std::uint64_t> words) : words_(words) {}

  std::int64_t integer() { return static_cast<std::int64_t>(next()); }
  double number() { return std::bit_cast<double>(next()); }
  bool flag() { return next() != 0; }

  // Whether exactly all words were read.
  bool complete() const { return !short_ && words_.empty(); }

 private:
  std::uint64_t next() {
    if (words_.empty()) {
      short_ = true;
      return 0;
    }
    const std::uint64_t word = words_.front();
    words_ = words_.subspan(1);
    return word;
  }

  std::span<const std::uint64_t> words_;
  bool short_ = false;
};

}  // namespace chronoveil
