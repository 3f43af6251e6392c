// What each file of this folder adds to chronoveil._native.
#pragma once

#include <nanobind/nanobind.h>

namespace chronoveil::python {

void add_accounting(nanobind::module_&);
void add_jobs(nanobind::module_&);
void add_looks(nanobind::module_&);
void add_releases(nanobind::module_&);
void add_ledger(nanobind::module_&);
void add_live(nanobind::module_&);
void add_arrow(nanobind::module_&);
void add_training(nanobind::module_&);

}  // namespace chronoveil::python
