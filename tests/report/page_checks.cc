#include "report/page_checks.h"

#include <regex>
#include <vector>

namespace chronoveil::report::testing {

bool has(std::string_view text, std::string_view part) {
  if (text.find(part) != std::string_view::npos) return true;
  std::string plain(text);
  const std::string_view kept = "\u00a0";
  for (std::size_t at = 0; (at = plain.find(kept, at)) != std::string::npos;) plain.replace(at, kept.size(), " ");
  return plain.find(part) != std::string::npos;
}

std::size_t times(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::string misnested(std::string_view html) {
  std::vector<std::string_view> open;
  for (std::size_t at = html.find('<'); at != std::string_view::npos; at = html.find('<', at + 1)) {
    const std::size_t end = html.find('>', at);
    if (end == std::string_view::npos) return "a tag without an end";
    const std::string_view tag = html.substr(at + 1, end - at - 1);
    if (tag.starts_with('!') || tag.ends_with('/')) continue;
    const std::string_view name = tag.substr(0, tag.find_first_of(" \n"));
    if (name == "meta" || name == "link" || name == "input") continue;
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

std::string flaw(const std::string& html) {
  if (std::string wrong = misnested(html); !wrong.empty()) return wrong;
  if (!has(html, "default-src 'none'")) return "no policy against what is elsewhere";
  static const std::regex unwanted(
      "<script|://|@import|\\son[a-z]+=|(src|href)=\"(?!data:,\")"  // run, or from elsewhere
      "|nan|inf(?![a-z])");                                         // no number
  std::smatch found;
  return std::regex_search(html, found, unwanted) ? "unwanted " + found.str() : "";
}

}  // namespace chronoveil::report::testing
