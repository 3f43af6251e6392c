#include "errors.h"

#include <unistd.h>

#include <string>
#include <thread>

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
  // It waits for work until the process ends, and nobody waits for it.
  std::thread([this] {
    while (true) {
      given_.acquire();
      task_();
      done_.release();
    }
  }).detach();
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
  task_ = std::move(task);
  busy_ = true;
  given_.release();
}

bool Worker::finished(std::chrono::milliseconds most) {
  for (int look = 0; look < 2000; ++look)  // most prices take less than it takes to fall asleep and wake up
    if (done_.try_acquire()) return !(busy_ = false);
  busy_ = !done_.try_acquire_for(most);
  return !busy_;
}

Process::Process() : id_(::getpid()) {}

void Process::check(const char* what) const {
  if (::getpid() == id_) return;
  raise({.kind = ErrorKind::usage,
         .message = std::string(what) + " was opened before this process was forked; open it again in this process"});
}

}  // namespace chronoveil::python
