// A job as Python holds it.
#pragma once

#include <nanobind/nanobind.h>

#include <optional>
#include <string>

#include "chronoveil/chronoveil.h"
#include "errors.h"

namespace chronoveil::python {

struct HeldJob {
  Job job;
  Names names = Names::arguments;  // whether errors speak of arguments or of the keys of a job file
};

// What is going on goes to `told_to(what, text)`, which must outlive the options.
RunOptions run_options(const std::string& ledger, bool confirmed, bool allow_empty, bool allow_uninformative,
                       std::optional<std::uint64_t> seed, const nb::callable& told_to);

}  // namespace chronoveil::python
