// Writing to what may be slow: a pipe, a terminal.
#pragma once

#include <string_view>

namespace chronoveil {

// Writes the whole text. Goes on after a signal, and waits while the descriptor is full, even if it is non-blocking:
// standard output is shared with other processes, any of which may have set that. 0, or the number of the error.
int write_all(int descriptor, std::string_view text);

}  // namespace chronoveil
