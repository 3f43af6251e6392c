// Whether a page is well formed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chronoveil::report::testing {

// What is wrong with the nesting of a page, or nothing. Every element but those that are void is closed, in order.
inline std::string misnested(std::string_view html) {
  std::vector<std::string_view> open;
  for (std::size_t at = html.find('<'); at != std::string_view::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    if (end == std::string_view::npos) return "a tag without an end";
    const std::string_view tag = html.substr(at + 1, end - at - 1);
    if (tag.starts_with('!') || tag.ends_with('/')) continue;
    const std::string_view name = tag.substr(0, tag.find_first_of(" \n"));
    if (name == "meta" || name == "link") continue;
    if (!name.starts_with('/')) {
      open.push_back(name);
    } else if (open.empty() || open.back() != name.substr(1)) {
      return "unexpected " + std::string(name);
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : "unclosed " + std::string(open.back());
}

}  // namespace chronoveil::report::testing
