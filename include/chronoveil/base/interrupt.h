// How a program stops a call that takes long: another thread, or a signal handler, asks for it.
//
//   Interrupt stop;                       // somewhere that the handler or the thread can reach
//   const Interruptible now(stop);        // on the thread that calls
//   const auto made = run(job, options);  // ErrorKind::interrupted soon after stop.ask()
//
// The error says what became of a debit, like any other: one that was reserved can be taken up by the same job.
#pragma once

#include <atomic>

namespace chronoveil {

class Interrupt {
 public:
  // From any thread or signal handler. It cannot be taken back.
  void ask() noexcept { asked_.store(true, std::memory_order_relaxed); }
  bool asked() const noexcept { return asked_.load(std::memory_order_relaxed); }

 private:
  std::atomic<bool> asked_{false};
  static_assert(std::atomic<bool>::is_always_lock_free);
};

// While it lives, whatever this thread calls, on this thread and on those that a call starts, heeds `interrupt`, which
// must outlive it. One inside another replaces it until it ends.
class Interruptible {
 public:
  explicit Interruptible(const Interrupt& interrupt);
  explicit Interruptible(const Interrupt* interrupt);  // null: nothing interrupts
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  const Interrupt* before_;
};

}  // namespace chronoveil
