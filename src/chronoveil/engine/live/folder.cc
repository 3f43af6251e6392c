#include "chronoveil/engine/live/folder.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/engine/series/totals.h"
#include "chronoveil/ledger/proof/entry.h"
#include "chronoveil/report/series/writers.h"

namespace chronoveil::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string facts_path(const std::string& folder) { return folder + "/job.json"; }
std::string facts_now_path(const std::string& folder) { return folder + "/reading.json"; }
std::string opening_path(const std::string& folder) { return folder + "/opening.json"; }

std::string text_of(const Facts& facts) {
  json list = json::array();
  for (const auto& [key, value] : facts) list.push_back({key, value});
  return list.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

Failure damaged(const std::string& path) {
  return fail(ErrorKind::storage, "live", "'" + path + "' is damaged; put it back from a backup");
}

Result<Facts> facts_in(const std::string& path) {
  CV_TRY(const std::string text, read_text_file("live", path, TextSize::document));
  const json list = json::parse(text, nullptr, false);
  if (!list.is_array()) return damaged(path);
  Facts facts;
  for (const json& pair : list) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_string() || !pair[1].is_string()) return damaged(path);
    facts.emplace_back(pair[0].get<std::string>(), pair[1].get<std::string>());
  }
  return facts;
}

}  // namespace

Result<LiveFolder> LiveFolder::of_release(const std::string& place, const Job& job) {
  CV_TRY(const fs::path path, folder_beside(place, "live", fs::path(job.dataset) / job.live().name));
  return LiveFolder(path);
}

bool LiveFolder::is_opening_in(const std::string& folder) {
  return ::access(opening_path(folder).c_str(), F_OK) == 0 || errno != ENOENT;
}

Result<void> LiveFolder::make() const { return make_private_folder("live", path_); }

void LiveFolder::forget_people(std::int64_t debit) const {
  std::error_code ignored;
  for (const char* suffix : {"", "-wal", "-shm"}) fs::remove(people(debit) + suffix, ignored);
}

void LiveFolder::forget_other_people(std::int64_t debit) const {
  const std::string own = fs::path(people(debit)).filename().string();
  std::error_code ignored;
  std::vector<fs::path> others;
  for (fs::directory_iterator entry(path_, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with("people.") && !name.starts_with(own)) others.push_back(entry->path());
  }
  for (const fs::path& other : others) fs::remove(other, ignored);
}

Result<void> LiveFolder::put(const LiveOpening& opening) const {
  std::error_code ignored;
  fs::remove(facts_now_path(path_), ignored);  // of an earlier opening
  return write_files({{facts_path(path_), text_of(opening.facts), 0600},
                      {opening_path(path_), report::to_json(opening.published), 0600}});
}

Result<void> LiveFolder::put_facts_now(const Facts& facts) const {
  return write_files({{facts_now_path(path_), text_of(facts), 0600}});
}

Result<Facts> LiveFolder::facts_opened() const {
  CV_TRY(LiveOpening opening, get());  // whole: a damaged opening is named
  return std::move(opening.facts);
}

Result<Facts> LiveFolder::facts_now() const {
  CV_TRY(Facts opened, facts_opened());
  std::error_code ignored;
  if (!fs::exists(facts_now_path(path_), ignored)) return opened;
  CV_TRY(Facts now, facts_in(facts_now_path(path_)));
  return differ_in_reading_alone(opened, now) ? now : opened;
}

Result<LiveOpening> LiveFolder::get() const {
  LiveOpening opening;
  CV_TRY(opening.facts, facts_in(facts_path(path_)));
  CV_TRY(const std::string text, read_text_file("live", opening_path(path_), TextSize::document));
  Result<report::Published> published = report::from_json(text);
  if (!published) return damaged(opening_path(path_));
  opening.published = std::move(*published);
  return opening;
}

Result<std::string> LiveFolder::opening_digest() const {
  CV_TRY(const std::string text, read_text_file("live", opening_path(path_), TextSize::document));
  return ledger::sha256_hex(text).substr(0, 16);
}

std::string LiveFolder::opening_digest(const report::Published& published) {
  return ledger::sha256_hex(report::to_json(published)).substr(0, 16);
}

Result<FolderLock> LiveFolder::lock() const {
  return FolderLock::take("live", path_, "another process publishes this release now");
}

Facts live_facts_of(const Job& job) {
  Facts facts = facts_of(job);
  std::error_code ignored;
  facts.emplace_back("live.name", job.live().name);
  facts.emplace_back("live.after", job.live().continues ? "continue" : "stop");
  facts.emplace_back("output.csv", fs::absolute(job.csv, ignored).lexically_normal().string());
  // Where it is not beside the rows, which also holds for releases that were opened before there were totals.
  if (job.series().totals != totals_beside(job.csv))
    facts.emplace_back("output.totals", fs::absolute(job.series().totals, ignored).lexically_normal().string());
  facts.emplace_back("output.level", shortest(job.level));
  facts.emplace_back("output.non_negative", job.series().non_negative ? "true" : "false");
  facts.emplace_back("output.integers", job.series().integers ? "true" : "false");
  return facts;
}

std::string difference(const Facts& before, const Facts& now) {
  if (before == now) return "";
  // Keys such as series.keys occur several times, so pairs are compared.
  const auto not_in = [](const Facts& other) {
    return
        [&other](const Facts::value_type& fact) { return std::find(other.begin(), other.end(), fact) == other.end(); };
  };
  const auto times = [](const Facts& facts, const std::string& key) {
    return std::count_if(facts.begin(), facts.end(), [&](const Facts::value_type& fact) { return fact.first == key; });
  };
  if (const auto gone = std::find_if(before.begin(), before.end(), not_in(now)); gone != before.end()) {
    const std::string& key = gone->first;
    if (times(before, key) != 1 || times(now, key) != 1)
      return fmt::format("{} had '{}' when the release was opened and has it no longer", key, gone->second);
    const auto changed =
        std::find_if(now.begin(), now.end(), [&](const Facts::value_type& fact) { return fact.first == key; });
    return fmt::format("{} was '{}' when the release was opened and is '{}' now", key, gone->second, changed->second);
  }
  if (const auto come = std::find_if(now.begin(), now.end(), not_in(before)); come != now.end())
    return fmt::format("{} has '{}' now and did not have it when the release was opened", come->first, come->second);
  return "the order of series.keys changed since the release was opened";
}

}  // namespace chronoveil::engine
