// Files that are read whole: jobs, lists of keys, tapes for replays, releases, models.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::engine {

// The most that is read of a file: what somebody writes by hand or by a short program, and what this program wrote.
enum class TextSize : std::int64_t { written_by_people = 64 << 20, document = std::int64_t{1} << 30 };

// The whole file, "-" for standard input. `what` names the option or key in the error. A longer file is refused (usage,
// or bad_data for a document) once so much was read, so that a device or a pipe that never ends is, too. A named
// pipe that nobody writes to is waited for as long as longest_wait() says; a writer that is slow, without end.
Result<std::string> read_text_file(std::string_view what, const std::string& path,
                                   TextSize largest = TextSize::written_by_people);

// Whether two paths lead to the same regular file, under whatever names: relative or absolute, through links. "-" and
// the empty path lead to none. Files that are not there yet are told by their paths.
bool same_file(const std::string& a, const std::string& b);

// Numbers separated by white space. An error names the place of the first word that is none.
Result<std::vector<double>> read_numbers(std::string_view what, const std::string& path);
Result<std::vector<std::int64_t>> read_integers(std::string_view what, const std::string& path);

}  // namespace chronoveil::engine
