// Text to counts: whole numbers from 0 to 2^53, beyond which a double no longer tells neighbours apart.
//   "12", "12.0" and "1.2e1" are 12; fractions, signs, NaN, infinity and empty text are refused.
#pragma once

#include <cstdint>
#include <string_view>

namespace chronoveil::data {

inline constexpr std::int64_t kLargestCount = std::int64_t{1} << 53;

enum class CountProblem { none, empty, form, negative, fractional, too_large };

CountProblem read_count(std::string_view text, std::int64_t& count);
std::string_view explain(CountProblem);

}  // namespace chronoveil::data
