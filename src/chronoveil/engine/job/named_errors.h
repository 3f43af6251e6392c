// Errors of a module name its own parameters; the writer of a job knows them by section and key.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "chronoveil/base/result.h"

namespace chronoveil::engine {

// "slots.length" for the parameter "length" of the section "slots"; the first section that has such a key, or the
// parameter itself.
std::string key_of(std::initializer_list<std::string_view> sections, const std::string& parameter);

// The same of the parameter that an error blames.
template <class T>
Result<T> by_key(std::initializer_list<std::string_view> sections, Result<T> result) {
  if (!result) result.error().parameter = key_of(sections, result.error().parameter);
  return result;
}

// Blames a key for an error, whatever the error blames itself.
Error under_key(std::string_view key, Error error);

}  // namespace chronoveil::engine
