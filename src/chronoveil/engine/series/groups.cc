#include "chronoveil/engine/series/groups.h"

#include <algorithm>
#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "chronoveil/base/plain_text.h"
#include "chronoveil/data/field_rows.h"
#include "chronoveil/engine/job/named_errors.h"

namespace chronoveil::engine {
namespace {

constexpr std::string_view kKey = "series.groups";

Failure wrong(std::int64_t row, const std::string& what) {
  return fail(ErrorKind::usage, std::string(kKey), "row " + std::to_string(row) + ": " + what);
}

Result<std::size_t> column(const std::vector<std::string>& names, const std::string& path, std::string_view wanted) {
  const auto found = std::find(names.begin(), names.end(), wanted);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  return fail(ErrorKind::usage, std::string(kKey),
              "'" + path + "' has no column " + std::string(wanted) + "; it must have series and group");
}

// The rows of the file one by one: series and group.
Result<void> each_row(const std::string& path,
                      const std::function<Result<void>(std::int64_t, std::string_view, std::string_view)>& use) {
  const auto named = [](Error error) {
    error = under_key(kKey, std::move(error));
    if (error.kind == ErrorKind::bad_data) error.kind = ErrorKind::usage;  // it is public, and part of the job
    return tl::unexpected(std::move(error));
  };
  Result<std::unique_ptr<data::FieldRows>> rows = data::open_field_rows({path, ',', true});
  if (!rows) return named(rows.error());
  CV_TRY(const std::size_t series, column((*rows)->columns(), path, "series"));
  CV_TRY(const std::size_t group, column((*rows)->columns(), path, "group"));
  for (std::int64_t row = 1;; ++row) {
    const Result<std::span<const std::string_view>> fields = (*rows)->next();
    if (!fields) return named(fields.error());
    if (fields->empty()) return {};
    CV_CHECK(use(row, (*fields)[series], (*fields)[group]));
  }
}

Result<void> check_text(std::int64_t row, const std::string& text, const std::string& what) {
  if (text.empty()) return wrong(row, what + " is empty");
  if (!is_utf8(text)) return wrong(row, what + " is not UTF-8 text");
  return check_plain_text(kKey, text, "row " + std::to_string(row));
}

}  // namespace

Result<std::vector<std::string>> keys_in_groups(const std::string& path) {
  std::vector<std::string> keys;
  std::unordered_set<std::string> seen;
  const auto add = [&](std::int64_t row, std::string_view series, std::string_view) -> Result<void> {
    const std::string& key = keys.emplace_back(series);
    CV_CHECK(check_text(row, key, "the name of the series"));
    return seen.insert(key).second ? Result<void>() : wrong(row, "the series is there for the second time");
  };
  CV_CHECK(each_row(path, add));
  if (keys.empty()) return fail(ErrorKind::usage, std::string(kKey), "'" + path + "' holds no series");
  return keys;
}

Result<void> read_groups(Job& job) {
  const std::string& path = job.series().groups_path;
  if (path.empty()) return {};
  std::unordered_map<std::string_view, std::size_t> places;
  for (std::size_t i = 0; i < job.keys.size(); ++i) places.emplace(job.keys[i], i);
  std::vector<std::string>& groups = job.series().groups;
  groups.assign(job.keys.size(), "");
  return each_row(path, [&](std::int64_t row, std::string_view series, std::string_view group) -> Result<void> {
    if (group.empty() && job.key_list == path) return {};
    const auto place = places.find(series);
    if (place == places.end()) return wrong(row, "the series is not in the list of series");
    if (!groups[place->second].empty()) return wrong(row, "the series is there for the second time");
    groups[place->second] = group;
    return check_text(row, groups[place->second], "the name of the group");
  });
}

std::vector<Group> groups_of(const Job& job) {
  std::vector<Group> all;
  std::unordered_map<std::string_view, std::size_t> places;
  const std::vector<std::string>& names = job.series().groups;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) continue;
    const auto [place, is_new] = places.emplace(names[i], all.size());
    if (is_new) all.push_back({names[i], {}});
    all[place->second].series.push_back(static_cast<std::int64_t>(i));
  }
  return all;
}

}  // namespace chronoveil::engine
