// Errors of the library as exceptions of Python, and long work that does not hold up Python.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "chronoveil/base/interrupt.h"
#include "chronoveil/base/result.h"

namespace chronoveil::python {

namespace nb = nanobind;

// Keys of a job as this door calls them: arguments ("epsilon"), or, for a job file, as they stand in it.
enum class Names { arguments, file };
KeyNames key_names(Names);

// Raises the exception of its kind (chronoveil/errors.py).
[[noreturn]] void raise(const Error&, Names = Names::arguments);

template <class T>
T value_of(Result<T> result, Names names = Names::arguments) {
  if (!result) raise(result.error(), names);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

bool on_main_thread();

// The thread that works while the main thread of Python looks for signals. There is one per process, for as long as the
// process lives: tables that the accountant keeps per thread stay, and no call waits for a thread to start.
class Worker {
 public:
  static Worker& of_this_process();
  // A handler of signals may call while another call waits.
  bool busy() const { return busy_; }
  // Hands over a task; finished() waits for its end, at most this long.
  void start(std::function<void()> task);
  bool finished(std::chrono::milliseconds);

 private:
  Worker();
  void work();
  bool busy_ = false, fell_asleep_ = false;
  // Not a semaphore, whose waits look for a while before they sleep, ten times a second, and may sleep forever in the
  // oldest libstdc++ that the wheel is for (its bug 104928).
  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> task_;  // none: there is nothing to do
  std::atomic<bool> done_ = false;
};

// What to say of work that was done when the interrupt came: its result is lost to the caller.
struct SaysNothing {
  template <class T>
  std::string operator()(const T&) const {
    return {};
  }
};

// Does the work without the lock of the interpreter. Signals reach Python on its main thread only, so there another
// thread works while this one looks for them ten times a second. If one raises, the work is asked to stop, and its
// error, which says what became of a debit, is what the caller gets; or what `say` tells of it if it was done.
template <class Work, class Say = SaysNothing>
auto patiently(Work work, Names names = Names::arguments, Say say = {}) {
  using Done = std::invoke_result_t<Work>;
  if (!on_main_thread() || Worker::of_this_process().busy()) {
    Done done = [&] {
      const nb::gil_scoped_release free;
      return work();
    }();
    return value_of(std::move(done), names);
  }
  Interrupt stop;
  std::unique_ptr<nb::python_error> raised;
  std::optional<Done> done;
  std::exception_ptr thrown;
  {
    const nb::gil_scoped_release free;
    Worker& worker = Worker::of_this_process();
    worker.start([&] {
      const Interruptible now(stop);
      try {
        done.emplace(work());
      } catch (...) {  // no memory, say
        thrown = std::current_exception();
      }
    });
    while (!worker.finished(std::chrono::milliseconds(100))) {
      const nb::gil_scoped_acquire held;
      if (!raised && PyErr_CheckSignals() != 0) {
        raised = std::make_unique<nb::python_error>();
        stop.ask();
      }
    }
  }
  if (thrown) std::rethrow_exception(thrown);
  // One that came while nobody looked: the caller would hear of it, and not of what was done.
  if (!raised && PyErr_CheckSignals() != 0) raised = std::make_unique<nb::python_error>();
  if (raised && *done && raised->matches(PyExc_KeyboardInterrupt)) {
    std::string text;
    if constexpr (!std::is_void_v<typename Done::value_type>) text = say(**done);
    if (!text.empty()) raise({.kind = ErrorKind::interrupted, .message = std::move(text)}, names);
  }
  if (raised && (*done || done->error().kind != ErrorKind::interrupted)) throw std::move(*raised);
  return value_of(std::move(*done), names);
}

// What was opened before a fork() is not used after it: parent and child would share locks and files.
class Process {
 public:
  Process();
  void check(const char* what) const;  // raises in a child

 private:
  int id_;
};

}  // namespace chronoveil::python
