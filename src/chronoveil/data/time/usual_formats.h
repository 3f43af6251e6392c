// How a time seems to be written: for a message about a time that the format of a job does not read.
//   Looks at  the shape alone, never at the numbers: 16/10/2025 and 06/10/2025 name the same formats, both orders of
//             day and month, so that what is said tells nothing more about the time itself
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chronoveil::data {

// Formats for `source.time_format`, the likeliest first; none where the shape is unusual.
std::vector<std::string> usual_formats(std::string_view text);

// All that may be named so, and iso8601.
std::vector<std::string> all_usual_formats();

}  // namespace chronoveil::data
