// Named tensors as bytes, the same on every machine: what model files and checkpoints hold.
//   The number of tensors; for each: length of the name and the name, number of dimensions (at most 8) and the
//   dimensions (at least 1), float32 values. Integers are 64-bit, and everything is little-endian. No checksum: the
//   container of the bytes has one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/neural/models/parameters.h"

namespace chronoveil::neural {

// Precondition: no tensor is empty or has more than 8 dimensions.
std::string to_bytes(const std::vector<Parameter>&);
// Refused (bad data): what is cut off, has more than it says, or sizes that do not fit in it. Needs no more memory than
// the bytes themselves, whatever sizes they claim.
Result<std::vector<Parameter>> from_bytes(std::string_view);

}  // namespace chronoveil::neural
