// A new dataset in the words of whoever asks for it, at whatever door.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chronoveil/ledger/dataset.h"

namespace chronoveil::ledger {

struct DatasetWords {
  std::string name;
  double epsilon = 0;
  double delta = 0;
  std::optional<std::string> unit;  // user; event where the relation is swap
  std::string relation = "add_remove";
  std::int64_t width = 1;              // of w-event
  std::optional<std::int64_t> window;  // of swap, which needs it
  std::optional<std::string> filter, renews;
  std::vector<std::string> parts;        // a public list, in order, or
  std::optional<std::string> parts_by;   // "day"
  std::optional<std::int64_t> straddle;  // as many parts as a window has events, unless given
};

// Errors (usage) name the member. Refused are words without a meaning here, such as a window without a swap.
Result<DatasetRequest> dataset_request(const DatasetWords&);

}  // namespace chronoveil::ledger
