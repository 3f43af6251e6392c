// What was answered so far about the keys of a job.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/engine/job/first_job.h"

namespace chronoveil::engine {

using Words = std::vector<std::string>;

inline const Words* find_given(const GivenKeys& given, std::string_view key) {
  const auto found = std::find_if(given.begin(), given.end(), [&](const auto& pair) { return pair.first == key; });
  return found == given.end() ? nullptr : &found->second;
}
inline bool says_without(const Words& words) { return words.size() == 1 && words.front() == kWithout; }
// Whether the job has the key.
inline bool is_given(const GivenKeys& given, std::string_view key) {
  const Words* const words = find_given(given, key);
  return words != nullptr && !words->empty() && !says_without(*words);
}
inline std::string word_given(const GivenKeys& given, std::string_view key) {
  return is_given(given, key) ? find_given(given, key)->front() : std::string();
}

// The row of the table of keys, and its meaning beside a job that a first job is for.
KeyInfo key_info(std::string_view key);
std::string meaning_here(const KeyInfo&);

// "north, south" as two words, without the blanks around them.
Words split_list(const std::string& list);

}  // namespace chronoveil::engine
