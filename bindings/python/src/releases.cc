// Releases: their documents, their table, what they promise.
#include "releases.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arrow.h"
#include "errors.h"
#include "module.h"
#include "told.h"

namespace chronoveil::python {
namespace {

template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};

template <class Published>
const std::string& mark_of(const Published& published) {
  return published.release.mark;
}
const std::string& mark_of(const engine::PerturbedRelease& perturbed) { return perturbed.mark; }

nb::object debit(const HeldRelease& held) {
  const auto& debit = debit_of(held.release);
  return debit ? nb::object(told(*debit)) : nb::none();
}

const char* kind(const HeldRelease& held) {
  return std::visit(Overloaded{[](const report::Published&) { return "counts"; },
                               [](const report::MeansPublished&) { return "means"; },
                               [](const engine::PerturbedRelease&) { return "perturb"; }},
                    held.release);
}

// The zone of the slots; empty where there are none.
std::string zone(const HeldRelease& held) {
  return std::visit(Overloaded{[](const engine::PerturbedRelease&) { return std::string(); },
                               [](const auto& published) { return published.release.axis.zone; }},
                    held.release);
}

// Pages of many series take a while to write.
template <std::string (*write)(const AnyRelease&)>
std::string written(const HeldRelease& held) {
  const nb::gil_scoped_release free;
  return write(held.release);
}

nb::capsule arrow(const HeldRelease& held) {
  return stream_capsule([&](ArrowArrayStream* out) { return to_arrow(held.release, out); });
}

}  // namespace

void add_releases(nb::module_& module) {
  using namespace nb::literals;
  nb::class_<HeldRelease>(module, "Release")
      .def_prop_ro("kind", &kind)
      .def_prop_ro("guarantee", [](const HeldRelease& held) { return told(guarantee_of(held.release)); })
      .def_prop_ro("debit", &debit)
      .def_prop_ro("zone", &zone)
      .def_prop_ro("mark",
                   [](const HeldRelease& held) {
                     return std::visit([](const auto& any) { return mark_of(any); }, held.release);
                   })
      .def_prop_ro("mechanism",
                   [](const HeldRelease& held) {
                     return std::visit([](const auto& any) { return any.plan.mechanism; }, held.release);
                   })
      .def_prop_ro(
          "title",
          [](const HeldRelease& held) { return std::visit([](const auto& any) { return any.title; }, held.release); })
      .def_prop_ro("not_protected",
                   [](const HeldRelease& held) {
                     return std::visit([](const auto& any) { return any.not_protected; }, held.release);
                   })
      .def("csv", &written<to_csv>)
      .def("json", &written<to_json>)
      .def("html", &written<to_html>)
      .def("arrow", &arrow);
}

}  // namespace chronoveil::python
