// Arrow streams as capsules of Python (https://arrow.apache.org/docs/format/CDataInterface/PyCapsuleInterface.html).
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "chronoveil/base/arrow_abi.h"
#include "errors.h"

namespace chronoveil::python {

inline constexpr const char* kStreamName = "arrow_array_stream";

// The stream of a capsule, which is left with a released one once somebody takes it over.
ArrowArrayStream* stream_in(nb::handle capsule);

nb::capsule capsule_of(std::unique_ptr<ArrowArrayStream>);

// A capsule of the stream that `fill` writes.
template <class Fill>
nb::capsule stream_capsule(Fill fill) {
  auto stream = std::make_unique<ArrowArrayStream>();
  stream->release = nullptr;
  value_of(fill(stream.get()));
  return capsule_of(std::move(stream));
}

}  // namespace chronoveil::python
