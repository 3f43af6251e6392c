// Another program as a filter: it reads a text from its standard input, and what it writes is the result.
//   Found    by its name in the folders of PATH, as a shell finds it
//   Input    from memory without a name: nothing is left behind, and no pipe can break
//   Errors   of kind storage. What the program says of them goes nowhere, since it may quote the text
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil {

// `command`: its name, then its arguments.
Result<std::string> filtered(const std::vector<std::string>& command, std::string_view text);

}  // namespace chronoveil
