#include "chronoveil/report/document/digest.h"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "chronoveil/ledger/proof/entry.h"

namespace chronoveil::report {

using json = nlohmann::json;

Result<std::string> release_digest(std::string_view release_json) {
  constexpr int kDeepest = 100;             // no release is half as deep; writing recurses once per level
  std::vector<std::set<std::string>> keys;  // of the objects that are open
  bool twice = false, deep = false;
  const auto watch = [&](int depth, json::parse_event_t event, const json& parsed) {
    if (depth > kDeepest) deep = true;
    if (deep) return false;
    if (event == json::parse_event_t::object_start) keys.emplace_back();
    if (event == json::parse_event_t::object_end) keys.pop_back();
    if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) twice = true;
    return true;
  };
  json release = json::parse(release_json, watch, false);
  if (deep) return fail(ErrorKind::bad_data, "release", "it is nested too deep; at most 100 levels are read");
  if (!release.is_object()) return fail(ErrorKind::bad_data, "release", "it is not a JSON object");
  if (twice) return fail(ErrorKind::bad_data, "release", "a key stands in it twice");
  release.erase("title");
  release.erase("signature");
  return ledger::sha256_hex(release.dump());
}

}  // namespace chronoveil::report
