// What all sources share, and the source by callback. Nothing here needs libsodium.
#include "chronoveil/base/bit_source.h"

#include <string.h>  // explicit_bzero

#include <algorithm>
#include <cstring>
#include <utility>

namespace chronoveil {

std::atomic<std::uint64_t> BitSource::fork_generation{0};

BitSource::BitSource(Refill refill, std::size_t words, bool seeded)
    : words_(std::make_unique<std::uint64_t[]>(words)),
      next_(words_.get() + words),
      end_(next_),
      generation_(fork_generation.load(std::memory_order_relaxed)),
      refill_(refill),
      size_(words),
      seeded_(seeded) {}

BitSource BitSource::from_callback(Fill fill, void* context) {
  BitSource source(&refill_by_callback, kCallbackWords, false);
  source.fill_ = fill;
  source.context_ = context;
  return source;
}

void BitSource::wipe() {
  if (words_) explicit_bzero(words_.get(), size_ * sizeof(std::uint64_t));
}

BitSource::~BitSource() { wipe(); }

// A source that was moved from is empty: its next draw takes a new key from the operating system, or new bytes from its
// callback.
BitSource::BitSource(BitSource&& other) noexcept
    : words_(std::move(other.words_)),
      next_(std::exchange(other.next_, nullptr)),
      end_(std::exchange(other.end_, nullptr)),
      generation_(other.generation_),
      refill_(other.refill_),
      size_(other.size_),
      fill_(other.fill_),
      context_(other.context_),
      since_failure_(other.since_failure_),
      seeded_(std::exchange(other.seeded_, false)),
      failed_(other.failed_) {}

BitSource& BitSource::operator=(BitSource&& other) noexcept {
  if (this != &other) {
    wipe();
    words_ = std::move(other.words_);
    next_ = std::exchange(other.next_, nullptr);
    end_ = std::exchange(other.end_, nullptr);
    generation_ = other.generation_;
    refill_ = other.refill_;
    size_ = other.size_;
    fill_ = other.fill_;
    context_ = other.context_;
    since_failure_ = other.since_failure_;
    seeded_ = std::exchange(other.seeded_, false);
    failed_ = other.failed_;
  }
  return *this;
}

void BitSource::refill_by_callback(BitSource& source) {
  if (!source.words_) source.words_ = std::make_unique<std::uint64_t[]>(source.size_);
  source.generation_ = fork_generation.load(std::memory_order_relaxed);
  std::uint64_t* const words = source.words_.get();
  if (!source.failed_) {
    source.failed_ = source.fill_(source.context_, words, source.size_ * sizeof(std::uint64_t)) != 0;
  }
  if (source.failed_) {
    // Equal words would never end a loop that waits for a different one; a mixed counter (splitmix64) does.
    for (std::size_t i = 0; i < source.size_; ++i) {
      std::uint64_t word = source.since_failure_ += 0x9e3779b97f4a7c15;
      word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9;
      word = (word ^ (word >> 27)) * 0x94d049bb133111eb;
      words[i] = word ^ (word >> 31);
    }
  }
  source.next_ = words;
  source.end_ = words + source.size_;
}

void BitSource::fill(std::span<std::uint64_t> out) {
  while (!out.empty()) {
    if (next_ == end_ || fork_generation.load(std::memory_order_relaxed) != generation_) refill_(*this);
    const std::size_t count = std::min(out.size(), static_cast<std::size_t>(end_ - next_));
    std::memcpy(out.data(), next_, count * sizeof(std::uint64_t));
    next_ += count;
    out = out.subspan(count);
  }
}

}  // namespace chronoveil
