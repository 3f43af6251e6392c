// The only source of randomness: ChaCha20 (libsodium) keyed by the operating system, or a device's own generator.
//   Forward secrecy  each refill replaces the key by the first bytes of its own output, so that the state in memory
//                    never reveals bits that were handed out before the last refill
//   Fork             the first draw in a child discards what the parent had buffered and takes a new key from the
//                    operating system, so that parent and child never share a stream (after fork(), that is: a
//                    bare clone system call, which no library survives whole, goes unseen)
//   Threads          a BitSource belongs to one thread; for_this_thread() gives each thread its own
//   Seeds            with_seed() is reproducible (also across fork) and meant for tests and experiments only; whatever
//                    is released with it must be marked `seeded: not private`, and seeded() says so
//   Callbacks        from_callback() hands on the bytes of a function, kCallbackWords words at a time, and needs no
//                    libsodium. The function answers for their being fair, independent and secret, and for forward
//                    secrecy beyond the buffered words. A child discards buffered words only if forks are counted: once
//                    the process has made a source keyed by the operating system
//   Failure          a callback that fails is never called again, and failed() stays true: nothing drawn since may
//                    leave. Later draws are not secret; they only keep loops that draw again from running for ever.
//                    Without randomness from the operating system the process ends instead
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace chronoveil {

class BitSource {
 public:
  BitSource();  // keyed by the operating system
  static BitSource with_seed(std::uint64_t seed);
  static BitSource& for_this_thread();
  // `fill` writes `size` random bytes to `bytes` and returns 0; any other result means failure.
  using Fill = int (*)(void* context, void* bytes, std::size_t size);
  static BitSource from_callback(Fill fill, void* context);

  ~BitSource();
  BitSource(BitSource&&) noexcept;
  BitSource& operator=(BitSource&&) noexcept;
  BitSource(const BitSource&) = delete;
  BitSource& operator=(const BitSource&) = delete;

  bool seeded() const { return seeded_; }
  bool failed() const { return failed_; }

  // 64 independent fair bits.
  std::uint64_t next_u64() {
    if (next_ == end_ || fork_generation.load(std::memory_order_relaxed) != generation_) [[unlikely]] {
      refill_(*this);
    }
    return *next_++;
  }

  // The same, in bulk. Words are taken in the order in which next_u64() would have returned them.
  void fill(std::span<std::uint64_t> out);

 private:
  // Refills words_. A pointer, so that a program that only uses callbacks is linked without libsodium.
  using Refill = void (*)(BitSource&);
  BitSource(Refill, std::size_t words, bool seeded);
  static void prepare_libsodium();
  static void refill_by_chacha(BitSource&);
  static void refill_by_callback(BitSource&);
  void take_key_from_operating_system();
  void wipe();

  static constexpr std::size_t kKeyWords = 4;        // 256 bits; they are the next key and never leave
  static constexpr std::size_t kChachaWords = 1024;  // the key included
  static constexpr std::size_t kCallbackWords = 32;  // few: small devices have little memory and slow generators

  static std::atomic<std::uint64_t> fork_generation;  // counts the forks between the first process and this one

  std::unique_ptr<std::uint64_t[]> words_;
  const std::uint64_t* next_ = nullptr;  // in words_; from here to the end are undrawn words
  const std::uint64_t* end_ = nullptr;
  std::uint64_t generation_ = 0;
  Refill refill_;
  std::size_t size_;  // of words_
  Fill fill_ = nullptr;
  void* context_ = nullptr;
  std::uint64_t since_failure_ = 0;
  bool seeded_ = false;
  bool failed_ = false;
};

}  // namespace chronoveil
