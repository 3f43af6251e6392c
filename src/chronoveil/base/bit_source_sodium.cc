// Sources of ChaCha20 (libsodium). A file of its own: a program with a callback for its randomness is linked without
// it.
#include <pthread.h>
#include <sodium.h>
#include <sys/mman.h>

#include <cstdlib>
#include <cstring>

#include "chronoveil/base/bit_source.h"

namespace chronoveil {

namespace {

static_assert(crypto_stream_chacha20_KEYBYTES == 32);

// A release without randomness must never happen, so this failure ends the process.
void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

// sodium_init() is safe to call from several threads, and cheap after the first call.
void BitSource::prepare_libsodium() {
  require(sodium_init() >= 0);
  static const bool counting_forks = [] {
    return pthread_atfork(nullptr, nullptr, [] { fork_generation.fetch_add(1, std::memory_order_relaxed); }) == 0;
  }();
  require(counting_forks);
}

BitSource::BitSource() : BitSource(&refill_by_chacha, kChachaWords, false) {
  prepare_libsodium();
  // Keeps the key and the undrawn words from being swapped out, if the limits allow it. The pages stay locked when they
  // are given back, since other data may lie on them.
  (void)::mlock(words_.get(), size_ * sizeof(std::uint64_t));
  take_key_from_operating_system();
}

BitSource BitSource::with_seed(std::uint64_t seed) {
  BitSource source(&refill_by_chacha, kChachaWords, true);
  prepare_libsodium();
  require(crypto_generichash(reinterpret_cast<unsigned char*>(source.words_.get()), crypto_stream_chacha20_KEYBYTES,
                             reinterpret_cast<const unsigned char*>(&seed), sizeof seed, nullptr, 0) == 0);
  return source;
}

BitSource& BitSource::for_this_thread() {
  thread_local BitSource source;
  return source;
}

void BitSource::take_key_from_operating_system() { randombytes_buf(words_.get(), crypto_stream_chacha20_KEYBYTES); }

void BitSource::refill_by_chacha(BitSource& source) {
  if (!source.words_) {
    source.words_ = std::make_unique<std::uint64_t[]>(source.size_);
    source.take_key_from_operating_system();
  }
  const std::uint64_t generation = fork_generation.load(std::memory_order_relaxed);
  if (generation != source.generation_) {
    source.generation_ = generation;
    if (!source.seeded_) {
      source.take_key_from_operating_system();
    } else if (source.next_ != source.end_) {
      return;  // a seeded stream goes on where it was
    }
  }
  // Every key serves one refill, so the nonce may stay zero.
  static constexpr unsigned char kNonce[crypto_stream_chacha20_NONCEBYTES] = {};
  unsigned char key[crypto_stream_chacha20_KEYBYTES];
  std::uint64_t* const words = source.words_.get();
  std::memcpy(key, words, sizeof key);
  require(crypto_stream_chacha20(reinterpret_cast<unsigned char*>(words), source.size_ * sizeof(std::uint64_t), kNonce,
                                 key) == 0);
  sodium_memzero(key, sizeof key);
  source.next_ = words + kKeyWords;
  source.end_ = words + source.size_;
}

}  // namespace chronoveil
