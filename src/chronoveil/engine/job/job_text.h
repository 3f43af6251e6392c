// The text of a job file with other values for some of its keys. All other bytes stay: comments, order, spaces, ends of
// lines.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chronoveil/engine/job/job.h"

namespace chronoveil::engine {

// Keys as "privacy.max_steps", values as a job file spells them: 12, "1h".
using KeyValues = std::vector<std::pair<std::string, std::string>>;

// A key that is there gets its value; another one becomes a line at the end of its section, which is added if needed.
// Knows the usual spelling, a key at the start of a line below the head of its section.
std::string with_values(std::string text, const KeyValues&);

// The same for the file of that job. Refused (usage), with the lines to add by hand, unless what comes out is read as
// the same job but for these keys, and these have their values: TOML can be written in other ways.
Result<std::string> rewritten(const Job&, const std::string& text, const KeyValues&);

// "max_steps = 12" below "[privacy]", as lines of a job file.
std::string job_lines(const KeyValues&);

}  // namespace chronoveil::engine
