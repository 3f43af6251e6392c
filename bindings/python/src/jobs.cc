// Jobs: read by the engine, planned, checked, run.
#include "jobs.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>

#include "arrow.h"
#include "module.h"
#include "releases.h"
#include "told.h"

namespace chronoveil::python {
namespace {

const char* shape_of(engine::KeyShape shape) {
  switch (shape) {
    case engine::KeyShape::whole: return "whole";
    case engine::KeyShape::number: return "number";
    case engine::KeyShape::flag: return "flag";
    case engine::KeyShape::texts:
    case engine::KeyShape::words: return "texts";
    default: return "text";
  }
}

engine::JobKind kind_called(const std::string& name) {
  if (name == "live") return engine::LiveSpec();
  if (name == "means") return engine::MeansSpec();
  if (name == "perturb") return engine::PerturbSpec();
  if (name == "train") return engine::TrainSpec();
  return engine::SeriesSpec();
}

// The keys of a job of that kind, from the one table of the engine: those that commands have options for, its own
// section, and what only a job file has.
nb::list job_keys(const std::string& kind) {
  std::vector<engine::KeyInfo> offered = engine::option_keys(kind_called(kind));
  nb::list keys;
  for (engine::KeyInfo info : engine::all_keys()) {
    const auto same = [&](const engine::KeyInfo& one) { return one.key == info.key; };
    const auto found = std::find_if(offered.begin(), offered.end(), same);
    const bool own = info.key.starts_with(kind + ".") || info.key.starts_with("slots.") ||
                     (kind == "train" && info.key == "output.model");
    if (found == offered.end() && !own) continue;
    if (found != offered.end()) info = *found;
    nb::dict key;
    key["key"] = info.key;
    key["meaning"] = engine::plain_words(info.meaning);
    key["standard"] = engine::plain_words(info.standard);
    key["shape"] = shape_of(info.shape);
    key["choices"] = told(info.choices);
    keys.append(key);
  }
  return keys;
}

// A text of a job; `path` is the file that it was read from, or empty. Relative paths in it are relative to that file.
HeldJob read(const std::string& toml, const std::string& path) {
  const Names names = path.empty() ? Names::arguments : Names::file;
  Job job = patiently([&] { return engine::parse_job(toml, path); }, names);
  job.handed_back = true;
  return {std::move(job), names};
}

const char* kind(const HeldJob& held) {
  return held.job.is<engine::TrainSpec>()     ? "train"
         : held.job.is<engine::PerturbSpec>() ? "perturb"
         : held.job.is<engine::MeansSpec>()   ? "means"
         : held.job.is<engine::LiveSpec>()    ? "live"
                                              : "counts";
}

// The columns that it reads; none if it reads all.
std::optional<std::vector<std::string>> columns(const HeldJob& held) {
  return value_of(columns_read(held.job), held.names);
}

void read_stream(HeldJob& held, nb::handle capsule) { value_of(read_from(held.job, *stream_in(capsule)), held.names); }

nb::dict plan(const HeldJob& held) {
  return told(patiently([&] { return make_plan(held.job); }, held.names));
}

// How far off a cell would be, by cap and length of a slot: (caps, {length: errors}, whether they are of a sample), or
// None where the unit has no such cap.
nb::object caps(const HeldJob& held) {
  if (!held.job.is<engine::SeriesSpec>()) return nb::none();
  const auto table = patiently(
      [&]() -> Result<std::optional<engine::CapTable>> {
        CV_TRY(const engine::Planned planned, engine::plan_job(held.job));
        return engine::cap_table(held.job, planned);
      },
      held.names);
  if (!table) return nb::none();
  nb::dict by_length;
  for (std::size_t length = 0; length < table->lengths.size(); ++length) {
    nb::list errors;
    for (std::size_t cap = 0; cap < table->caps.size(); ++cap) {
      const double error = table->errors[length * table->caps.size() + cap];
      errors.append(std::isnan(error) ? nb::none() : nb::cast(error));
    }
    by_length[table->lengths[length].c_str()] = errors;
  }
  return nb::make_tuple(nb::cast(table->caps), by_length, table->smoothed);
}

nb::dict plan_training(const HeldJob& held) {
  const engine::TrainPlanned planned = patiently([&] { return engine::plan_training(held.job); }, held.names);
  nb::dict all;
  all["mechanism"] = std::string(planned.model.model);
  all["parameters"] = nb::dict();
  all["parameters"]["noise_multiplier"] = planned.noise_multiplier;
  all["parameters"]["steps"] = planned.steps;
  all["reason"] = planned.reason;
  all["event"] = to_text(planned.event);
  all["epsilon"] = planned.price.epsilon;
  all["delta"] = planned.delta;
  all["guarantee"] = told(planned.guarantee);
  all["candidates"] = nb::list();
  all["recommended"] = "";
  all["advice"] = "";
  all["slots"] = planned.axis.steps();
  all["tells_nothing"] = "";
  return all;
}

nb::dict seen_of(const engine::DataSeen& seen) {
  nb::dict all;
  all["rows"] = seen.rows;
  all["inside_span"] = seen.inside_span;
  all["counted"] = seen.counted;
  all["first"] = seen.first;
  all["last"] = seen.last;
  all["people"] = seen.people;
  all["people_over_caps"] = seen.people_over_caps;
  all["over_caps"] = seen.over_caps;
  all["listed"] = seen.listed;
  all["matched"] = seen.matched;
  all["unlisted"] = told(seen.unlisted);
  return all;
}

nb::dict checked(const HeldJob& held, const std::string& ledger, bool read_data) {
  const Check found = patiently(
      [&] {
        RunOptions options;
        options.ledger = ledger;
        return check(held.job, options, read_data);
      },
      held.names);
  nb::dict all;
  all["plan"] = told(found.plan);
  all["budget"] = told(found.budget);
  all["room"] = told(found.room);
  all["earlier"] = found.earlier ? nb::cast(found.earlier->id.text()) : nb::none();
  all["seen"] = found.seen ? nb::object(seen_of(*found.seen)) : nb::none();
  return all;
}

// `tell(what, text)`: what is going on, on whatever thread it goes on. What it raises is shown and goes no further: a
// release does not depend on who watches it.
void tell(const nb::callable& told_to, const char* what, std::string_view text) {
  const nb::gil_scoped_acquire held;
  try {
    told_to(what, std::string(text));
  } catch (nb::python_error& error) {
    error.discard_as_unraisable(told_to);
  }
}

HeldRelease run_job(const HeldJob& held, const std::string& ledger, bool confirmed, bool allow_empty,
                    bool allow_uninformative, std::optional<std::uint64_t> seed, const nb::callable& told_to) {
  const RunOptions options = run_options(ledger, confirmed, allow_empty, allow_uninformative, seed, told_to);
  const auto say = [](const AnyRelease& release) {
    const auto& debit = debit_of(release);
    return debit ? "interrupted when the release was done: the debit " + debit->id.text() +
                       " is released, and again() gives it at no cost"
                 : std::string("interrupted");
  };
  return {patiently([&] { return run(held.job, options); }, held.names, say)};
}

HeldRelease again(const HeldJob& held, const std::string& debit, const std::string& ledger) {
  return {patiently(
      [&] {
        RunOptions options;
        options.ledger = ledger;
        return release_again(held.job, debit, options);
      },
      held.names)};
}

}  // namespace

RunOptions run_options(const std::string& ledger, bool confirmed, bool allow_empty, bool allow_uninformative,
                       std::optional<std::uint64_t> seed, const nb::callable& told_to) {
  RunOptions options;
  options.ledger = ledger;
  options.confirmed = confirmed;
  options.allow_empty = allow_empty;
  options.allow_uninformative = allow_uninformative;
  options.seed = seed;
  options.progress = [&told_to](std::string_view stage) { tell(told_to, "progress", stage); };
  options.note_taken_up = [&told_to](const std::string& debit) { tell(told_to, "taken_up", debit); };
  options.note_programme = [&told_to](const std::string& sentence) { tell(told_to, "programme", sentence); };
  return options;
}

void add_jobs(nb::module_& module) {
  using namespace nb::literals;
  module.def("job_keys", &job_keys, "kind"_a);
  module.def("read_zones_from", &data::read_zones_from, "folder"_a);
  module.def(
      "named",
      [](const std::string& text, bool file) {
        return with_key_names(text, key_names(file ? Names::file : Names::arguments));
      },
      "text"_a, "file"_a);
  nb::class_<HeldJob>(module, "Job")
      .def_static("read", &read, "toml"_a, "path"_a = "")
      .def_prop_ro("kind", &kind)
      .def_prop_ro("dataset", [](const HeldJob& held) { return held.job.dataset; })
      .def_prop_ro("digest", [](const HeldJob& held) { return engine::digest_of(held.job); })
      .def_prop_ro("reads_memory", [](const HeldJob& held) { return held.job.source.kind == data::SourceKind::memory; })
      .def_prop_ro("columns", &columns)
      .def_prop_ro("needs_libtorch",
                   [](const HeldJob& held) {
                     return held.job.is<engine::TrainSpec>() && forecasting::is_network(held.job.train().model.model);
                   })
      .def("read_stream", &read_stream, "capsule"_a)
      .def("plan", &plan)
      .def("caps", &caps)
      .def("plan_training", &plan_training)
      .def("check", &checked, "ledger"_a, "read_data"_a)
      .def("run", &run_job, "ledger"_a, "confirmed"_a, "allow_empty"_a, "allow_uninformative"_a, "seed"_a.none(),
           "tell"_a)
      .def("again", &again, "debit"_a, "ledger"_a);
}

}  // namespace chronoveil::python
