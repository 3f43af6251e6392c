#include <algorithm>
#include <filesystem>

#include "chronoveil/base/plain_text.h"
#include "chronoveil/engine/job/table.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/engine/programme/programme.h"

namespace chronoveil::engine {
namespace {

Failure not_in_programme(const std::string& name, const std::string& why) {
  return fail(ErrorKind::usage, "release.job", "'" + name + "' " + why);
}

Result<void> check_release(const Section& section, const ProgrammeRelease& release, const Programme& programme) {
  const Job& job = release.job;
  if (job.is<LiveSpec>())
    return not_in_programme(release.name,
                            "cannot have a slot: a live release makes a debit of its own for each span, by which its "
                            "folder finds it again");
  if (job.dataset != programme.dataset)
    return not_in_programme(release.name,
                            "is for the dataset '" + job.dataset + "', the programme for '" + programme.dataset + "'");
  if (release.times < 1 || release.times > kMostSlots)
    return invalid(section.name_of("times"), std::to_string(release.times), "from 1 to " + std::to_string(kMostSlots));
  if (release.times > 1 && release.varies.empty())
    return fail(ErrorKind::usage, section.name_of("varies"),
                "it is missing: say what differs from run to run, for example [\"slots.start\", \"slots.end\"]");
  for (const std::string& key : release.varies)
    if (std::find(keys_that_may_vary().begin(), keys_that_may_vary().end(), key) == keys_that_may_vary().end())
      return invalid(section.name_of("varies"), key,
                     "one of slots.start, slots.end, source.path, source.query and source.table: every other key "
                     "decides what is drawn");
  if (release.value && !(*release.value > 0))
    return invalid(section.name_of("value"), *release.value, "a number greater than 0");
  return {};
}

// Whether the same run could be meant by both: then nobody could say which slot it takes.
bool may_be_taken_for(const ProgrammeRelease& one, const ProgrammeRelease& other) {
  std::vector<std::string> varies = one.varies;
  varies.insert(varies.end(), other.varies.begin(), other.varies.end());
  return digest_without(facts_of(one.job), varies) == digest_without(facts_of(other.job), varies);
}

Result<ProgrammeRelease> release_of(const Section& section, const Programme& programme) {
  CV_CHECK(section.only({"job", "times", "varies", "value"}));
  CV_CHECK(section.require("job", "\"weekly.toml\""));
  ProgrammeRelease release;
  CV_CHECK(section.read("job", release.name));
  CV_CHECK(section.read("times", release.times));
  CV_CHECK(section.read("varies", release.varies));
  CV_CHECK(section.read("value", release.value));
  CV_CHECK(check_plain_text(section.name_of("job"), release.name));
  const auto beside = std::filesystem::path(programme.path).parent_path() / release.name;
  CV_TRY(release.job, read_job(beside.string()));
  CV_CHECK(check_release(section, release, programme));
  return release;
}

Result<Programme> parse_programme(const std::string& text, const std::string& path) {
  CV_TRY(const JobTable table, parse_table(text, {}, {"release"}));
  CV_CHECK(table.top.only({"dataset", "purpose", "delta", "release"}));
  CV_CHECK(table.top.require("dataset", "\"city\""));
  Programme programme;
  programme.path = path;
  CV_CHECK(table.top.read("dataset", programme.dataset));
  CV_CHECK(table.top.read("purpose", programme.purpose));
  CV_CHECK(table.top.read("delta", programme.delta));
  CV_CHECK(check_plain_text("purpose", programme.purpose));
  if (programme.delta) CV_CHECK(Delta::make_positive(*programme.delta));
  const auto list = table.lists.find("release");
  if (list == table.lists.end() || list->second.empty())
    return fail(ErrorKind::usage, "release", "there is none; write [[release]], with its job, as often as needed");
  std::int64_t slots = 0;
  for (const Section& section : list->second) {
    CV_TRY(ProgrammeRelease release, release_of(section, programme));
    slots += release.times;
    if (slots > kMostSlots)
      return fail(ErrorKind::usage, section.name_of("times"),
                  "the programme has more than " + std::to_string(kMostSlots) + " runs");
    for (const ProgrammeRelease& other : programme.releases)
      if (may_be_taken_for(release, other))
        return fail(
            ErrorKind::usage, section.name_of("job"),
            "'" + release.name + "' and '" + other.name + "' differ only in what varies; make them one release");
    programme.releases.push_back(std::move(release));
  }
  return programme;
}

}  // namespace

const std::vector<std::string>& keys_that_may_vary() {
  static const std::vector<std::string> keys{"slots.start", "slots.end", "source.path", "source.query", "source.table"};
  return keys;
}

Result<Programme> read_programme(const std::string& path) {
  CV_TRY(const std::string text, read_text_file("programme", path));
  Result<Programme> programme = parse_programme(text, path);
  const bool own = !programme && programme.error().kind == ErrorKind::usage && programme.error().where.empty();
  return own ? at(path, std::move(programme)) : programme;
}

}  // namespace chronoveil::engine
