// The release, in one place: the build, the program, the ledger's debits and the man page read it from here.
#pragma once

#include <string_view>

namespace chronoveil {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace chronoveil
