// Drawings as PNG, made of their SVG by the program rsvg-convert of librsvg. It runs by itself: what reads XML and
// fonts is no part of a program that holds data and keys.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "chronoveil/base/result.h"

namespace chronoveil::report {

// Whether that program is there and works, found out by a drawing of one dot. An error names the key `output.chart`,
// the package, and what to do without it.
Result<void> check_png();

// At twice the size of the drawing. `description` says what the release promises, or that it is not private, for those
// who see the file without the page: a text by the name of Description, right behind the header of the PNG.
Result<std::string> png_of(const std::string& svg, const std::string& description);

// How such a text begins, from the first byte of its chunk's name on.
inline constexpr std::string_view kPngDescription{"iTXtDescription\0\0\0\0\0", 20};
inline constexpr std::string_view kPngSignature{"\x89PNG\r\n\x1a\n", 8};
// Where the name of the first chunk after the header stands.
inline constexpr std::size_t kPngFirstChunk = 37;

}  // namespace chronoveil::report
