// A length of time as it is written: a whole number and a unit.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace chronoveil::data {

// Milliseconds of "30s", "15min", "1h", "1d" or "1w"; the number is from 0 to a million. Empty for any other text.
std::optional<std::int64_t> parse_duration(std::string_view text);

}  // namespace chronoveil::data
