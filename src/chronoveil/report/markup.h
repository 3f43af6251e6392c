// Text into HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace chronoveil::report {

// & < > " ' as entities; control characters, which HTML forbids, are left out. Safe in text and in quoted attributes.
std::string escaped(std::string_view text);

}  // namespace chronoveil::report
