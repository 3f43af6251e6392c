// What somebody may have meant by a word that is not known: a key, an option, a command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chronoveil {

// The nearest of the words by edit distance, and up to two more that look like typing errors: "a, b, c", each with the
// prefix. Of words that are equally near, the first. Empty if there are no words.
std::string nearest(std::string_view word, const std::vector<std::string_view>& words, std::string_view prefix = "");

}  // namespace chronoveil
