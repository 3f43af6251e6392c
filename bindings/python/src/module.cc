// chronoveil._native: the public library, translated and nothing else. The package chronoveil makes it comfortable.
#include "module.h"

#include <nanobind/stl/string.h>

#include <cstdlib>

#include "chronoveil/base/version.h"

NB_MODULE(_native, module) {
  // What lives until the interpreter ends, as in a notebook, is no leak. Tests ask for the warnings.
  nanobind::set_leak_warnings(std::getenv("CHRONOVEIL_LEAK_WARNINGS") != nullptr);
  module.attr("version") = std::string(chronoveil::kVersion);
  chronoveil::python::add_accounting(module);
  chronoveil::python::add_jobs(module);
  chronoveil::python::add_looks(module);
  chronoveil::python::add_releases(module);
  chronoveil::python::add_ledger(module);
  chronoveil::python::add_live(module);
  chronoveil::python::add_arrow(module);
  chronoveil::python::add_training(module);
}
