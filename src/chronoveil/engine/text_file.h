// Small public files, read whole: jobs, lists of keys, tapes for replays.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::engine {

// The whole file, "-" for standard input. `what` names the option or key in the error.
Result<std::string> read_text_file(std::string_view what, const std::string& path);

// Whether two paths lead to the same regular file, under whatever names: relative or absolute, through links. "-" and
// the empty path lead to none. Files that are not there yet are told by their paths.
bool same_file(const std::string& a, const std::string& b);

// Whether the text is well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. The empty text is.
bool is_utf8(std::string_view text);

// Numbers separated by white space. An error names the place of the first word that is none.
Result<std::vector<double>> read_numbers(std::string_view what, const std::string& path);
Result<std::vector<std::int64_t>> read_integers(std::string_view what, const std::string& path);

}  // namespace chronoveil::engine
