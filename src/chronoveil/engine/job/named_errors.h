// Errors of a module name its own parameters; the writer of a job knows them by section and key.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "chronoveil/base/result.h"

namespace chronoveil::engine {

// "length: 7h is not valid" becomes "slots.length: 7h is not valid" when `length` is among the keys.
template <class T>
Result<T> in_section(std::string_view section, std::initializer_list<std::string_view> keys, Result<T> result) {
  if (result) return result;
  std::string& message = result.error().message;
  for (const std::string_view key : keys) {
    if (message.size() > key.size() && message.starts_with(key) && message[key.size()] == ':') {
      message.insert(0, std::string(section).append("."));
      break;
    }
  }
  return result;
}

}  // namespace chronoveil::engine
