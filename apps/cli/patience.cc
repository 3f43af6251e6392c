#include "patience.h"

#include <pthread.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <thread>

namespace chronoveil::cli {
namespace {

std::atomic<bool> something_goes_on{false};

// Processor time, so that a busy machine gives up no earlier than an idle one.
double seconds_computed(std::thread& thread) {
  clockid_t clock{};
  timespec time{};
  if (::pthread_getcpuclockid(thread.native_handle(), &clock) != 0 || ::clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

void Patience::add_option(CLI::App& command, Patience& patience) {
  command.add_option("--patience", patience.seconds_, "Give up after so many seconds of computing; 4.5 unless given")
      ->check(CLI::Range(1e-3, 1e9));
}

bool Patience::finishes(std::function<void()> work) const {
  std::packaged_task<void()> task(std::move(work));
  std::future<void> done = task.get_future();
  std::thread thread(std::move(task));
  while (done.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
    if (seconds_computed(thread) < seconds_) continue;
    something_goes_on = true;
    thread.detach();
    return false;
  }
  thread.join();
  done.get();  // what it threw, if anything
  return true;
}

Failure Patience::given_up(const std::string& what) const {
  return fail(ErrorKind::cannot_certify, what,
              "it takes longer than " + shortest(seconds_) + " s; --patience SECONDS gives it more time");
}

void Patience::finish(int exit_code) {
  if (something_goes_on) ::_exit(exit_code);
}

}  // namespace chronoveil::cli
