#include "chronoveil/engine/job/job.h"

#include <algorithm>
#include <filesystem>
#include <unordered_set>

#include "chronoveil/base/plain_text.h"
#include "chronoveil/engine/job/job_to_look.h"
#include "chronoveil/engine/job/keys.h"
#include "chronoveil/engine/job/read_table.h"
#include "chronoveil/engine/job/section_readers.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/engine/means/job.h"
#include "chronoveil/engine/perturb/job.h"
#include "chronoveil/engine/places/places.h"
#include "chronoveil/engine/series/groups.h"
#include "chronoveil/engine/series/totals.h"
#include "chronoveil/engine/train/job.h"
#include "chronoveil/ledger/proof/entry.h"

namespace chronoveil::engine {
namespace {

// The public keys: series, or places.
Result<void> read_keys(const Section& section, Job& job) {
  if (section.has("list") && section.has("keys"))
    return fail(ErrorKind::usage, section.name_of("keys"),
                "give either `" + section.name_of("keys") + "` or `" + section.name_of("list") + "`");
  CV_CHECK(section.read("keys", job.keys));
  if (section.has("keys") && job.keys.empty())
    return fail(ErrorKind::usage, section.name_of("keys"), "the list is empty; it must hold at least one key");
  CV_CHECK(read_path(section, "list", job.path, job.key_list));
  if (job.key_list.empty()) return {};
  std::string groups;
  CV_CHECK(read_path(section, "groups", job.path, groups));
  CV_TRY(job.keys,
         groups == job.key_list ? keys_in_groups(groups) : read_key_list(job.key_list, section.name_of("list")));
  return {};
}

std::string live_name(const Job& job) {
  return job.path == "-" ? "live" : std::filesystem::path(job.path).stem().string();
}

// The sections say which kind it is; the kind refuses sections that do not go together.
JobKind kind_of(const JobTable& table) {
  const auto has = [&](std::string_view section) { return !table.section(section).values().empty(); };
  if (has("train")) return TrainSpec();
  if (has("perturb") || table.section("privacy").has("window")) return PerturbSpec();
  if (has("means")) return MeansSpec();
  if (has("live")) return LiveSpec();
  return SeriesSpec();
}

// Refuses keys of another kind of job: ignored in silence, they would look obeyed.
Result<void> refuse_foreign(const JobTable& table, const Job& job) {
  if (!is_of_counts(job)) CV_CHECK(refuse(table, "source", {"wide"}, "it belongs to counts; " + how_to_make_long()));
  if (job.is<TrainSpec>()) CV_CHECK(refuse_in_train(table));
  if (job.is<PerturbSpec>()) CV_CHECK(refuse_in_perturb(table));
  if (job.is<MeansSpec>()) CV_CHECK(refuse_in_means(table));
  if (!job.is<MeansSpec>()) CV_CHECK(refuse_means(table, job));
  if (!is_of_counts(job) && !job.is<MeansSpec>())
    CV_CHECK(refuse(table, "privacy", {"caps_from"}, "a look finds caps of counts and of means"));
  if (job.is<TrainSpec>())
    CV_CHECK(refuse(table, "output", {"chart", "geojson"}, "a training has no such picture; `output.report` shows it"));
  if (!job.is<TrainSpec>()) CV_CHECK(refuse(table, "output", {"model"}, "it belongs to a job with [train]"));
  if (!job.is<PerturbSpec>())
    return refuse(table, "output", {"internal"}, "it belongs to a job with [perturb]; for others there is evaluate");
  return {};
}

Result<void> require_all(const JobTable& table, const Job& job) {
  if (job.is<PerturbSpec>()) return table.section("privacy").require("epsilon", "1.0");
  CV_CHECK(table.section("slots").require("start", "\"2026-03-01T00:00\""));
  CV_CHECK(table.section("slots").require("end", "\"2026-04-01T00:00\""));
  CV_CHECK(table.section("slots").require("length", "\"1h\""));
  return table.section("privacy").require("epsilon", "1.0");
}

Result<void> check_known(const JobTable& table) {
  for (const std::string_view section : section_names())
    if (section != "mechanism") CV_CHECK(table.section(section).only(keys_of(section)));
  return {};
}

Result<void> complete_counts(const JobTable& table, Job& job) {
  SeriesSpec& spec = job.series();
  if (spec.wide) job.source.wide = job.keys;
  CV_CHECK(read_groups(job));
  if (job.is<LiveSpec>())
    CV_CHECK(refuse(table, "series", {"groups"}, "their sums belong to a release of a whole span, not step by step"));
  if (spec.totals.empty() && !job.csv.empty() && job.csv != "-") spec.totals = totals_beside(job.csv);
  return {};
}

Result<void> check_width(const Section& privacy, const Job& job) {
  if (job.unit == Unit::w_event) return privacy.require("width", "24");
  if (privacy.has("width")) return fail(ErrorKind::usage, "privacy.width", "it belongs to unit = \"w-event\" alone");
  return {};
}

}  // namespace

Result<std::vector<std::string>> read_key_list(const std::string& path, const std::string& key_of_list) {
  CV_TRY(std::string text, read_text_file(key_of_list, path));
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  std::vector<std::string> keys;
  std::unordered_set<std::string> seen;
  std::size_t line = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string key = text.substr(at, end - at);
    at = end + 1;
    ++line;
    if (key.ends_with('\r')) key.pop_back();
    if (key.empty()) continue;
    if (!is_utf8(key))
      return fail(ErrorKind::usage, key_of_list,
                  "line " + std::to_string(line) + " of '" + path + "' is not UTF-8 text");
    CV_CHECK(check_plain_text(key_of_list, key, "line " + std::to_string(line) + " of '" + path + "'"));
    if (!seen.insert(key).second)
      return fail(ErrorKind::usage, key_of_list,
                  "line " + std::to_string(line) + " of '" + path + "' holds a key for the second time");
    keys.push_back(std::move(key));
  }
  if (keys.empty()) return fail(ErrorKind::usage, key_of_list, "'" + path + "' holds no key");
  return keys;
}

namespace {

Result<Job> parse(std::string_view toml, const std::string& path, bool may_lack_caps) {
  std::vector<std::string_view> sections = section_names();
  CV_TRY(const JobTable table, parse_table(toml, sections));
  sections.insert(sections.begin(), "version");
  CV_CHECK(table.top.only(sections));
  CV_CHECK(table.top.require("version", "1"));
  std::int64_t version = 0;
  CV_CHECK(table.top.read("version", version));
  if (version != 1) return invalid("version", std::to_string(version), "1, the version that this program reads");
  CV_CHECK(check_known(table));
  JobKind kind = kind_of(table);
  CV_CHECK(table.section("dataset").require("name", "\"city\""));
  return read_table(table, std::move(kind), path, may_lack_caps);
}

Result<Job> read(const std::string& path, bool may_lack_caps) {
  CV_TRY(const std::string text, read_text_file("job", path));
  Result<Job> job = parse(text, path, may_lack_caps);
  // Errors of the job name its file; those of other files name their own.
  return !job && job.error().kind == ErrorKind::usage ? at(path, std::move(job)) : job;
}

}  // namespace

Result<Job> parse_job(std::string_view toml, const std::string& path) { return parse(toml, path, false); }
Result<Job> parse_job_to_look(std::string_view toml, const std::string& path) { return parse(toml, path, true); }

Result<Job> read_table(const JobTable& table, JobKind kind, const std::string& path, bool may_lack_caps) {
  Job job;
  job.may_lack_caps = may_lack_caps;
  job.path = path;
  job.kind = std::move(kind);
  if (job.is<LiveSpec>()) job.live().name = live_name(job);
  if (job.is<PerturbSpec>()) job.unit = Unit::event;
  if (job.is<TrainSpec>()) job.relation = Relation::replace_values;
  CV_CHECK(refuse_foreign(table, job));
  CV_CHECK(require_all(table, job));
  CV_CHECK(read_section(table, "source", job));
  job.slots.zone = job.is<PerturbSpec>() ? job.slots.zone : job.source.zone;
  for (const std::string_view section : section_names())
    if (section != "source") CV_CHECK(read_section(table, section, job));
  CV_CHECK(read_keys(table.section(job.is<MeansSpec>() ? "places" : "series"), job));
  CV_CHECK(check_width(table.section("privacy"), job));
  CV_CHECK(complete_places(table, job));
  if (job.is<MeansSpec>()) CV_CHECK(complete_means(table, job));
  if (is_of_counts(job)) CV_CHECK(complete_counts(table, job));
  if (job.is<TrainSpec>()) CV_CHECK(complete_train(table, job));
  CV_CHECK(check_values(job));
  return job;
}

Result<Job> to_live(Job job) {
  for (const auto& [wrong, section, why] :
       {std::tuple{job.is<MeansSpec>(), "means", "a live release publishes counts; use chronoveil run for means"},
        {job.is<PerturbSpec>(), "perturb", "a live release publishes counts; use chronoveil perturb"},
        {job.is<TrainSpec>(), "train", "a live release publishes counts; use chronoveil train"}})
    if (wrong) return fail(ErrorKind::usage, section, why);
  if (job.is<LiveSpec>()) return job;
  LiveSpec live{job.series(), live_name(job), false, {}, LiveSpec::Clock::until, 60'000, ""};
  job.kind = std::move(live);
  return job;
}

Result<Job> read_job(const std::string& path) { return read(path, false); }
Result<Job> read_job_to_look(const std::string& path) { return read(path, true); }

std::string digest_of(const Job& job) { return digest_of(facts_of(job)); }

std::string digest_without(Facts facts, const std::vector<std::string>& keys) {
  std::erase_if(facts, [&](const auto& fact) { return std::find(keys.begin(), keys.end(), fact.first) != keys.end(); });
  return digest_of(facts);
}

std::string digest_of(const Facts& facts) {
  std::string text = "chronoveil-job-2";
  // Each with its length, so that no two jobs write the same text.
  const auto add = [&](std::string_view part) {
    text.append("\n").append(std::to_string(part.size())).append(":").append(part);
  };
  for (const auto& [key, value] : facts) {
    add(key);
    add(value);
  }
  return ledger::sha256_hex(text).substr(0, 16);
}

}  // namespace chronoveil::engine
