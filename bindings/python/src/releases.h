// A release as Python holds it.
#pragma once

#include <nanobind/nanobind.h>

#include "chronoveil/chronoveil.h"

namespace chronoveil::python {

struct HeldRelease {
  AnyRelease release;
};

}  // namespace chronoveil::python
