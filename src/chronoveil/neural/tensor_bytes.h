// Named tensors as bytes, the same on every machine: what model files and checkpoints hold.
//   for each: length of the name and the name, number of dimensions and the dimensions, float32 values; integers are
//   little-endian 64-bit. No checksum: what holds the bytes has one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"
#include "chronoveil/neural/parameters.h"

namespace chronoveil::neural {

std::string to_bytes(const std::vector<Parameter>&);
// Refused (bad data): what is cut off, has more than it says, or sizes that do not fit in it.
Result<std::vector<Parameter>> from_bytes(std::string_view);

}  // namespace chronoveil::neural
