// A look, which finds the caps of a job.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "jobs.h"
#include "module.h"
#include "told.h"

namespace chronoveil::python {
namespace {

// The job changes nothing but what is handed back: no file is written, not even the one that it was read from.
HeldJob read_to_look(const std::string& toml, const std::string& path) {
  const Names names = path.empty() ? Names::arguments : Names::file;
  Job job = patiently([&] { return engine::parse_job_to_look(toml, path); }, names);
  job.path.clear();  // relative paths were resolved when it was read
  return {std::move(job), names};
}

engine::LookOptions look_options(const RunOptions& run, double epsilon, double delta,
                                 const std::vector<std::string>& lengths) {
  engine::LookOptions options;
  static_cast<RunOptions&>(options) = run;
  options.epsilon = epsilon;
  options.delta = delta;
  options.lengths = lengths;
  return options;
}

nb::dict told_look(const report::Look& look) {
  nb::dict all;
  all["document"] = report::look_json(look);
  all["guarantee"] = told(look.guarantee);
  nb::list values;
  for (const auto& [key, value] : engine::values_for_job(look)) values.append(nb::make_tuple(key, value));
  all["values"] = values;
  return all;
}

nb::dict look(const HeldJob& held, double epsilon, double delta, const std::vector<std::string>& lengths,
              const std::string& ledger, bool confirmed, bool allow_empty, std::optional<std::uint64_t> seed,
              const nb::callable& told_to) {
  const engine::LookOptions options =
      look_options(run_options(ledger, confirmed, allow_empty, false, seed, told_to), epsilon, delta, lengths);
  return told_look(patiently([&] { return engine::run_look(held.job, options); }, held.names));
}

nb::dict look_again(const HeldJob& held, const std::string& debit, double epsilon, double delta,
                    const std::vector<std::string>& lengths, const std::string& ledger) {
  RunOptions run;
  run.ledger = ledger;
  const engine::LookOptions options = look_options(run, epsilon, delta, lengths);
  return told_look(patiently([&] { return engine::run_look_again(held.job, debit, options); }, held.names));
}

}  // namespace

void add_looks(nb::module_& module) {
  using namespace nb::literals;
  module.def("read_to_look", &read_to_look, "toml"_a, "path"_a = "");
  module.def("look", &look, "job"_a, "epsilon"_a, "delta"_a, "lengths"_a, "ledger"_a, "confirmed"_a, "allow_empty"_a,
             "seed"_a.none(), "tell"_a);
  module.def("look_again", &look_again, "job"_a, "debit"_a, "epsilon"_a, "delta"_a, "lengths"_a, "ledger"_a);
}

}  // namespace chronoveil::python
