// Files that are read whole: jobs, lists of keys, tapes for replays, releases, models.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::engine {

// The most that is read of a file: one that people or their scripts write, and one that this program wrote.
enum class TextSize : std::int64_t { written_by_people = 64 << 20, document = std::int64_t{1} << 30 };

// The whole file, "-" for standard input. `what` names the option or key in the error. A longer file is refused (usage,
// or bad_data for a document) as soon as the limit is read, so that an endless device or pipe is refused, too. A named
// pipe without a writer is waited for up to longest_wait(), a slow writer without limit.
Result<std::string> read_text_file(std::string_view what, const std::string& path,
                                   TextSize largest = TextSize::written_by_people);

// Whether two paths lead to the same regular file, under whatever names: relative or absolute, through links. "-" and
// the empty path lead to none. Files that do not exist yet are compared by their paths.
bool same_file(const std::string& a, const std::string& b);

// Numbers separated by white space. An error names the place of the first word that is not a number.
Result<std::vector<double>> read_numbers(std::string_view what, const std::string& path);
Result<std::vector<std::int64_t>> read_integers(std::string_view what, const std::string& path);

}  // namespace chronoveil::engine
