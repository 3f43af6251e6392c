// The only source of randomness: ChaCha20 (libsodium) keyed by the operating system.
//   Forward secrecy  each refill replaces the key by the first bytes of its own output, so that the state in memory
//                    never reveals bits that were handed out before the last refill
//   Fork             the first draw in a child discards what the parent had buffered and takes a new key from the
//                    operating system, so that parent and child never share a stream (after fork(), that is: a
//                    bare clone system call, which no library survives whole, goes unseen)
//   Threads          a BitSource belongs to one thread; for_this_thread() gives each thread its own
//   Seeds            with_seed() is reproducible (also across fork) and meant for tests and experiments only; whatever
//                    is released with it must be marked `seeded: not private`, and seeded() says so
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

  ~BitSource();
  BitSource(BitSource&&) noexcept;
  BitSource& operator=(BitSource&&) noexcept;
  BitSource(const BitSource&) = delete;
  BitSource& operator=(const BitSource&) = delete;

  bool seeded() const { return seeded_; }

  // 64 independent fair bits.
  std::uint64_t next_u64() {
    if (next_ == kWords || fork_generation.load(std::memory_order_relaxed) != generation_) [[unlikely]] {
      refill();
    }
    return state_->words[next_++];
  }

  // The same, in bulk. Words are taken in the order in which next_u64() would have returned them.
  void fill(std::span<std::uint64_t> out);

 private:
  static constexpr std::size_t kKeyWords = 4;  // 256 bits
  static constexpr std::size_t kWords = 1024;  // the first kKeyWords are the next key and never leave
  struct State {
    std::uint64_t words[kWords];
  };
  explicit BitSource(bool seeded);
  void refill();
  void take_key_from_operating_system();

  static std::atomic<std::uint64_t> fork_generation;  // counts the forks between the first process and this one

  std::unique_ptr<State> state_;
  std::size_t next_ = kWords;
  std::uint64_t generation_ = 0;
  bool seeded_ = false;
};

}  // namespace chronoveil
