#include "errors.h"

#include <unistd.h>

#include <string>
#include <thread>
#include <utility>

namespace chronoveil::python {

KeyNames key_names(Names names) {
  return [names](std::string_view key) -> std::string {
    const std::string_view last = key.substr(key.rfind('.') + 1);
    if (names == Names::file && !key.starts_with("run.")) return std::string(key);
    if (key == "mechanism.name") return "mechanism";
    if (key == "dataset.name") return "dataset";
    if (key == "series.list" || key == "places.list") return "keys";
    if (key == "source.path" || key == "source.url") return "source";
    if (key == "output.model") return "output";
    if (key.starts_with("plan.")) return "plan_" + std::string(last);
    return std::string(last);
  };
}

void raise(const Error& error, Names names) {
  const KeyNames named = key_names(names);
  const nb::object exception =
      nb::module_::import_("chronoveil.errors")
          .attr("of_kind")(static_cast<int>(error.kind), error.text(named),
                           error.parameter.empty() ? "" : named(error.parameter), error.value,
                           with_key_names(error.valid.empty() ? error.message : error.valid, named));
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(exception.ptr())), exception.ptr());
  throw nb::python_error();
}

bool on_main_thread() {
  const nb::module_ threading = nb::module_::import_("threading");
  return threading.attr("current_thread")().is(threading.attr("main_thread")());
}

Worker::Worker() {
  std::thread([this] { work(); }).detach();
}

// Until the process ends, and nobody waits for it.
void Worker::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    // Not wait(), which is of a libstdc++ that is newer than the oldest one that the wheel is for.
    while (!changed_.wait_for(lock, std::chrono::hours(1), [this] { return task_ != nullptr; })) {
    }
    const std::function<void()> task = std::exchange(task_, nullptr);
    lock.unlock();
    task();
    lock.lock();
    done_ = true;
    changed_.notify_all();
  }
}

Worker& Worker::of_this_process() {
  static Worker* worker = nullptr;  // only the main thread asks
  static int process = 0;
  if (worker == nullptr || process != ::getpid()) {  // a forked process has no thread but its own
    worker = new Worker;
    process = ::getpid();
  }
  return *worker;
}

void Worker::start(std::function<void()> task) {
  busy_ = true;
  fell_asleep_ = false;
  const std::lock_guard lock(mutex_);
  done_ = false;
  task_ = std::move(task);
  changed_.notify_all();
}

bool Worker::finished(std::chrono::milliseconds most) {
  // Most prices take less than it takes to fall asleep and wake up.
  for (int look = 0; !fell_asleep_ && look < 2000; ++look)
    if (done_) return !(busy_ = false);
  fell_asleep_ = true;
  std::unique_lock lock(mutex_);
  busy_ = !changed_.wait_for(lock, most, [this] { return done_.load(); });
  return !busy_;
}

Process::Process() : id_(::getpid()) {}

void Process::check(const char* what) const {
  if (::getpid() == id_) return;
  raise({.kind = ErrorKind::usage,
         .message = std::string(what) + " was opened before this process was forked; open it again in this process"});
}

}  // namespace chronoveil::python
