// Public types of the library as dictionaries of Python.
#pragma once

#include <nanobind/nanobind.h>

#include "chronoveil/chronoveil.h"

namespace chronoveil::python {

namespace nb = nanobind;

nb::dict told(const Guarantee&);
nb::dict told(const ledger::DebitReference&);
nb::dict told(const ledger::Room&);
nb::dict told(const ledger::View&);
nb::dict told(const ledger::Dataset&);
nb::dict told(const mechanisms::Parameters&);
nb::list told(const std::vector<std::string>&);
nb::dict told(const AnyPlan&);

}  // namespace chronoveil::python
