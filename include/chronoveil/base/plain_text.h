// Text from outside: what may be stored, and how it is shown.
//   Hostile   control characters (U+0000-1F, U+007F, U+0080-9F), which move a cursor or start a row; separators of
//             lines and paragraphs (U+2028, U+2029); controls of direction (U+061C, U+200E, U+200F, U+202A-202E,
//             U+2066-206F), which change the order in which text is read; bytes that are not UTF-8
//   Plain     everything else: letters of any script, also those written from right to left
#pragma once

#include <string>
#include <string_view>

#include "chronoveil/base/result.h"

namespace chronoveil {

// Whether the text is well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. The empty text is.
bool is_utf8(std::string_view text);

// Whether nothing in it is hostile. The empty text is plain.
bool is_plain_text(std::string_view text);

// Refuses (usage) what is not plain: "output.title: character 3 is U+202E; it must be plain text without ...".
// Of a list, `which` of its texts is said too: "series.keys: key 2: character 3 ...".
Result<void> check_plain_text(std::string_view parameter, std::string_view text, std::string_view which = "");

// On one line, with nothing hidden: \n, \t, \r as such; other hostile characters as \u202e, bytes that are no
// character as \xff. Plain text is unchanged. In a JSON string the result means the same text.
std::string visible(std::string_view text);

// The same for text of several lines: line feeds and tabs stay.
std::string visible_lines(std::string_view text);

}  // namespace chronoveil
