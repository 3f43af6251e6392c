#include "chronoveil/base/bit_source.h"

#include <pthread.h>
#include <sodium.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace chronoveil {

std::atomic<std::uint64_t> BitSource::fork_generation{0};

namespace {

static_assert(crypto_stream_chacha20_KEYBYTES == 32);

// A release without randomness is the one failure that must not be survived or ignored, so it ends the process.
void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

BitSource::BitSource(bool seeded) : state_(std::make_unique<State>()), seeded_(seeded) {
  // sodium_init() is safe to call from several threads, and cheap after the first call.
  require(sodium_init() >= 0);
  static const bool counting_forks = [] {
    return pthread_atfork(nullptr, nullptr, [] { fork_generation.fetch_add(1, std::memory_order_relaxed); }) == 0;
  }();
  require(counting_forks);
  generation_ = fork_generation.load(std::memory_order_relaxed);
}

BitSource::BitSource() : BitSource(false) { take_key_from_operating_system(); }

BitSource BitSource::with_seed(std::uint64_t seed) {
  BitSource source(true);
  require(crypto_generichash(reinterpret_cast<unsigned char*>(source.state_->words), crypto_stream_chacha20_KEYBYTES,
                             reinterpret_cast<const unsigned char*>(&seed), sizeof seed, nullptr, 0) == 0);
  return source;
}

BitSource& BitSource::for_this_thread() {
  thread_local BitSource source;
  return source;
}

BitSource::~BitSource() {
  if (state_) sodium_memzero(state_.get(), sizeof(State));
}

// A source that was moved from is empty: its next draw takes a new key from the operating system.
BitSource::BitSource(BitSource&& other) noexcept
    : state_(std::move(other.state_)),
      next_(std::exchange(other.next_, kWords)),
      generation_(other.generation_),
      seeded_(std::exchange(other.seeded_, false)) {}

BitSource& BitSource::operator=(BitSource&& other) noexcept {
  if (this != &other) {
    if (state_) sodium_memzero(state_.get(), sizeof(State));
    state_ = std::move(other.state_);
    next_ = std::exchange(other.next_, kWords);
    generation_ = other.generation_;
    seeded_ = std::exchange(other.seeded_, false);
  }
  return *this;
}

void BitSource::take_key_from_operating_system() { randombytes_buf(state_->words, crypto_stream_chacha20_KEYBYTES); }

void BitSource::refill() {
  if (!state_) {
    state_ = std::make_unique<State>();
    take_key_from_operating_system();
  }
  const std::uint64_t generation = fork_generation.load(std::memory_order_relaxed);
  if (generation != generation_) {
    generation_ = generation;
    if (!seeded_) {
      take_key_from_operating_system();
    } else if (next_ != kWords) {
      return;  // a seeded stream goes on where it was
    }
  }
  // Every key serves one refill, so the nonce may stay zero.
  static constexpr unsigned char kNonce[crypto_stream_chacha20_NONCEBYTES] = {};
  unsigned char key[crypto_stream_chacha20_KEYBYTES];
  std::memcpy(key, state_->words, sizeof key);
  require(crypto_stream_chacha20(reinterpret_cast<unsigned char*>(state_->words), sizeof state_->words, kNonce, key) ==
          0);
  sodium_memzero(key, sizeof key);
  next_ = kKeyWords;
}

void BitSource::fill(std::span<std::uint64_t> out) {
  while (!out.empty()) {
    if (next_ == kWords || fork_generation.load(std::memory_order_relaxed) != generation_) refill();
    const std::size_t count = std::min(out.size(), kWords - next_);
    std::memcpy(out.data(), state_->words + next_, count * sizeof(std::uint64_t));
    next_ += count;
    out = out.subspan(count);
  }
}

}  // namespace chronoveil
