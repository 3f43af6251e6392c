// What the reader of every kind of release is held to.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil::report::testing {

// What a reader says to a document, or "accepted". What it refuses is bad data.
template <class Value>
std::string refusal(Result<Value> (*read)(std::string_view), const nlohmann::json& document) {
  const Result<Value> result = read(document.dump());
  if (result) return "accepted";
  EXPECT_EQ(result.error().kind, ErrorKind::bad_data) << result.error().text();
  return result.error().text();
}

// "/series/1/value" as an error writes it: series[1].value
inline std::string dotted(const std::string& pointer) {
  std::string out;
  for (std::size_t at = 1; at < pointer.size();) {
    const std::size_t end = std::min(pointer.find('/', at), pointer.size());
    const std::string part = pointer.substr(at, end - at);
    if (part.find_first_not_of("0123456789") == std::string::npos)
      out += "[" + part + "]";
    else
      out += (out.empty() ? "" : ".") + part;
    at = end + 1;
  }
  return out;
}

// The document is read as it is. Without what is at a path it is refused, by name; with something else there, too.
template <class Value>
void expect_needed(Result<Value> (*read)(std::string_view), const nlohmann::json& whole,
                   const std::vector<std::string>& paths) {
  EXPECT_EQ(refusal(read, whole), "accepted");
  for (const std::string& path : paths) {
    const nlohmann::json::json_pointer at(path);
    nlohmann::json missing = whole, wrong = whole;
    missing.at(at.parent_pointer()).erase(at.back());
    wrong.at(at) = nlohmann::json::array({nlohmann::json::object()});
    EXPECT_NE(refusal(read, missing).find("'" + dotted(path) + "'"), std::string::npos) << refusal(read, missing);
    EXPECT_NE(refusal(read, wrong), "accepted") << path;
  }
}

}  // namespace chronoveil::report::testing
