// Live releases: rows are pushed, steps are published.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrow.h"
#include "chronoveil/chronoveil.h"
#include "errors.h"
#include "jobs.h"
#include "module.h"
#include "told.h"

namespace chronoveil::python {
namespace {

nb::list told(const PublishedSteps& steps) {
  nb::list all;
  for (const PublishedStep& step : steps)
    all.append(nb::make_tuple(step.series, step.time, step.value, step.lower, step.upper, step.sampled, step.mark));
  return all;
}

nb::dict told(const LiveStanding& standing) {
  nb::dict all;
  all["name"] = standing.name;
  all["stage"] = std::string(engine::name(standing.stage));
  all["debit"] = standing.debit ? nb::cast(standing.debit->id.text()) : nb::none();
  all["mechanism"] = standing.mechanism;
  all["steps"] = standing.steps;
  all["published"] = standing.published;
  all["last"] = standing.last;
  all["broken"] = standing.broken;
  all["mark"] = standing.mark;
  all["guarantee"] = standing.guarantee ? nb::object(python::told(*standing.guarantee)) : nb::none();
  return all;
}

LiveOptions options_of(const std::string& ledger, bool confirmed, std::optional<std::uint64_t> seed,
                       const nb::callable& message) {
  LiveOptions options;
  options.ledger = ledger;
  options.confirmed = confirmed;
  options.seed = seed;
  // It may be the last to let go of it, on a thread that does not hold the lock of the interpreter.
  const auto let_go = [](nb::callable* held_by_us) {
    const nb::gil_scoped_acquire held;
    delete held_by_us;
  };
  const std::shared_ptr<nb::callable> shared(new nb::callable(message), let_go);
  options.message = [shared](const std::string& text) {
    const nb::gil_scoped_acquire held;
    try {
      (*shared)(text);
    } catch (nb::python_error& error) {
      error.discard_as_unraisable(*shared);
    }
  };
  return options;
}

class Session {
  // Held for as long as the call takes: another thread may close the session meanwhile.
  std::shared_ptr<LiveSession> open() const {
    process_.check("this live release");
    if (session_ == nullptr)
      raise({.kind = ErrorKind::usage, .message = "the session has ended; open the release again"}, names_);
    return session_;
  }
  template <class Work>
  auto patient(Work work) {
    return patiently([work, session = open()] { return work(*session); }, names_);
  }

 public:
  Session(const HeldJob& held, const std::string& ledger, bool confirmed, std::optional<std::uint64_t> seed,
          const nb::callable& message)
      : names_(held.names), session_(opened(held, options_of(ledger, confirmed, seed, message))) {}

  nb::list caught_up() const { return told(open()->caught_up()); }
  nb::list push(nb::handle capsule) {
    ArrowArrayStream* const stream = stream_in(capsule);
    return told(patient([stream](LiveSession& session) { return session.push(*stream); }));
  }
  nb::list publish_until(const std::string& time) {
    return told(patient([&time](LiveSession& session) { return session.publish_until(time); }));
  }
  nb::list publish_due() {
    return told(patient([](LiveSession& session) { return session.publish_due(); }));
  }
  nb::dict end() {
    return told(patient([](LiveSession& session) { return session.end(); }));
  }
  // Lets go of the folder of the release, so that another session may open it.
  void close() {
    const std::shared_ptr<LiveSession> last = std::move(session_);
    const nb::gil_scoped_release free;  // whoever destroys it may wait
  }

 private:
  static std::shared_ptr<LiveSession> opened(const HeldJob& held, LiveOptions options) {
    return std::make_shared<LiveSession>(
        patiently([&] { return LiveSession::open(held.job, std::move(options)); }, held.names));
  }
  Process process_;
  Names names_;
  std::shared_ptr<LiveSession> session_;  // null once it is closed
};

nb::dict run_until(const HeldJob& held, const std::string& ledger, bool confirmed, std::optional<std::uint64_t> seed,
                   const std::optional<std::string>& until, const nb::callable& message) {
  LiveOptions options = options_of(ledger, confirmed, seed, message);
  options.until = until;
  options.once = true;
  return told(patiently([&] { return engine::run_live(held.job, options); }, held.names));
}

}  // namespace

void add_live(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<Session>(module, "LiveSession")
      .def(nb::init<const HeldJob&, const std::string&, bool, std::optional<std::uint64_t>, const nb::callable&>(),
           "job"_a, "ledger"_a, "confirmed"_a, "seed"_a.none(), "message"_a)
      .def("caught_up", &Session::caught_up)
      .def("push", &Session::push, "capsule"_a)
      .def("publish_until", &Session::publish_until, "time"_a)
      .def("publish_due", &Session::publish_due)
      .def("end", &Session::end)
      .def("close", &Session::close);
  module.def("run_live", &run_until, "job"_a, "ledger"_a, "confirmed"_a, "seed"_a.none(), "until"_a.none(),
             "message"_a);
  module.def(
      "live_status",
      [](const HeldJob& held, const std::string& ledger) {
        return told(patiently([&] { return live_status(held.job, ledger); }, held.names));
      },
      "job"_a, "ledger"_a);
  module.def(
      "close_live",
      [](const HeldJob& held, const std::string& ledger) {
        return told(patiently([&] { return close_live(held.job, ledger); }, held.names));
      },
      "job"_a, "ledger"_a);
}

}  // namespace chronoveil::python
