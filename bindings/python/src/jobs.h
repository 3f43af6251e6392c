// A job as Python holds it.
#pragma once

#include <nanobind/nanobind.h>

#include "chronoveil/chronoveil.h"
#include "errors.h"

namespace chronoveil::python {

struct HeldJob {
  Job job;
  Names names = Names::arguments;  // whether errors speak of arguments or of the keys of a job file
};

}  // namespace chronoveil::python
