// What the names of columns, which are public, let one guess about a file.
#pragma once

#include <string>
#include <vector>

namespace chronoveil::engine {

// The column that is called like one of times; empty if none is.
std::string guessed_time(const std::vector<std::string>& columns);
// How the times of a column of this name are usually written, and the slots that they fill: "week" is "%G-W%V", "1w".
std::string guessed_time_format(const std::string& column);
std::string guessed_length(const std::string& column, const std::string& time_format);
// The zone of this machine, where it has a name: from TZ, or from /etc/localtime. Otherwise UTC.
std::string guessed_zone();

}  // namespace chronoveil::engine
