// The public time axis of a release: T half-open slots between consecutive boundaries. It comes from a job, never from
// data; an empty slot is a zero.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace chronoveil {

struct SlotAxis {
  std::string zone = "UTC";              // IANA name
  std::vector<std::int64_t> boundaries;  // T + 1 instants in milliseconds since 1970-01-01T00:00Z, strictly ascending
  std::vector<std::string> labels;       // T: the start of each slot with its offset, "2026-03-01T00:00:00+01:00"

  std::int64_t steps() const { return boundaries.empty() ? 0 : static_cast<std::int64_t>(boundaries.size()) - 1; }
};

}  // namespace chronoveil
