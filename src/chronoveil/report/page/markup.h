// Text into HTML and SVG.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "chronoveil/report/document/local_time.h"

namespace chronoveil::report {

// & < > " ' as entities; control characters, which HTML forbids, are left out, and characters that turn the direction
// of text are made visible. Safe in text and in quoted attributes.
std::string escaped(std::string_view text);

// The name of a file as the address of a link, not yet escaped: what is not a letter, a digit or one of -._~ is written
// by its bytes.
std::string url_of(std::string_view file);

// The times under a drawing, placed along its width; the first and the last keep inside it.
std::string tick_labels(std::span<const Tick>);

}  // namespace chronoveil::report
