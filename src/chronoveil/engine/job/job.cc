#include "chronoveil/engine/job/job.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <unordered_set>

#include "chronoveil/base/plain_text.h"
#include "chronoveil/data/time/duration.h"
#include "chronoveil/engine/job/section_readers.h"
#include "chronoveil/engine/job/table.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/engine/means/job.h"
#include "chronoveil/engine/perturb/job.h"
#include "chronoveil/engine/train/job.h"
#include "chronoveil/ledger/dataset.h"
#include "chronoveil/ledger/proof/entry.h"
#include "chronoveil/ledger/stores/store.h"
#include "chronoveil/mechanisms/catalogue.h"

namespace chronoveil::engine {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string_view> kSections = {"dataset", "source",  "slots",     "series", "places",
                                                 "means",   "privacy", "mechanism", "plan",   "output",
                                                 "live",    "perturb", "train"};
constexpr std::int64_t kLargestCount = std::int64_t{1} << 53;

Result<void> read_dataset(const Section& section, Job& job) {
  CV_CHECK(section.only({"name", "purpose"}));
  CV_CHECK(section.require("name", "\"city\""));
  CV_CHECK(section.read("name", job.dataset));
  return section.read("purpose", job.purpose);
}

Result<void> read_source(const Section& section, Job& job) {
  data::SourceSpec& source = job.source;
  CV_CHECK(section.only({"kind", "path", "url", "query", "table", "user", "time", "series", "value", "place",
                         "longitude", "latitude", "time_format", "zone", "delimiter", "header", "duplicates"}));
  CV_CHECK(read_word<data::SourceKind>(section, "kind",
                                       {{"csv", data::SourceKind::csv},
                                        {"sqlite", data::SourceKind::sqlite},
                                        {"postgresql", data::SourceKind::postgresql},
                                        {"memory", data::SourceKind::memory}},
                                       source.kind));
  CV_CHECK(read_path(section, "path", job.path, source.path));
  CV_CHECK(section.read("url", source.url));
  CV_CHECK(section.read("query", source.query));
  CV_CHECK(section.read("table", source.table));
  CV_CHECK(read_column(section, "user", source.user));
  std::optional<std::string> time;
  CV_CHECK(read_column(section, "time", time));
  if (time) source.time = *time;
  CV_CHECK(read_column(section, "series", source.series));
  CV_CHECK(read_column(section, "value", source.value));
  CV_CHECK(section.read("time_format", source.time_format));
  CV_CHECK(section.read("zone", source.zone));
  CV_CHECK(section.read("header", source.header));
  std::string delimiter(1, source.delimiter);
  CV_CHECK(section.read("delimiter", delimiter));
  if (delimiter.size() != 1) return invalid("source.delimiter", delimiter, "it must be one character");
  source.delimiter = delimiter[0];
  return read_word<bound::Duplicates>(
      section, "duplicates", {{"refuse", bound::Duplicates::refuse}, {"sum", bound::Duplicates::sum}}, job.duplicates);
}

Result<void> read_slots(const Section& section, Job& job) {
  CV_CHECK(section.only({"start", "end", "length", "zone"}));
  if (job.perturb.given) return {};  // its steps are its rows
  CV_CHECK(section.require("start", "\"2026-03-01T00:00\""));
  CV_CHECK(section.require("end", "\"2026-04-01T00:00\""));
  CV_CHECK(section.require("length", "\"1h\""));
  job.slots.zone = job.source.zone;
  CV_CHECK(section.read("start", job.slots.start));
  CV_CHECK(section.read("end", job.slots.end));
  CV_CHECK(section.read("length", job.slots.length));
  return section.read("zone", job.slots.zone);
}

// The public keys: series, or places. Of [places], read_means has the rest.
Result<void> read_keys(const Section& section, Job& job) {
  if (!job.means.given) CV_CHECK(section.only({"list", "keys", "disjoint"}));
  CV_CHECK(section.read("disjoint", job.disjoint));
  if (section.has("list") && section.has("keys"))
    return fail(ErrorKind::usage, section.name_of("keys") + ": give either " + section.name_of("keys") + " or " +
                                      section.name_of("list"));
  CV_CHECK(section.read("keys", job.keys));
  if (section.has("keys") && job.keys.empty())
    return fail(ErrorKind::usage, section.name_of("keys") + ": the list is empty; it must hold at least one key");
  CV_CHECK(read_path(section, "list", job.path, job.key_list));
  if (job.key_list.empty()) return {};
  CV_TRY(job.keys, read_key_list(job.key_list, section.name_of("list")));
  return {};
}

Result<void> read_privacy(const Section& section, Job& job) {
  CV_CHECK(section.only(
      {"unit", "relation", "width", "max_steps", "max_per_slot", "maximum", "epsilon", "delta", "analysis", "window"}));
  CV_CHECK(section.require("epsilon", "1.0"));
  CV_CHECK(read_word<Unit>(section, "unit", {{"user", Unit::user}, {"event", Unit::event}, {"w-event", Unit::w_event}},
                           job.unit));
  CV_CHECK(read_word<Relation>(section, "relation",
                               {{"add_remove", Relation::add_remove}, {"replace", Relation::replace}}, job.relation));
  if (job.unit == Unit::w_event) CV_CHECK(section.require("width", "24"));
  if (job.unit != Unit::w_event && section.has("width"))
    return fail(ErrorKind::usage, "privacy.width: it belongs to unit = \"w-event\" alone");
  CV_CHECK(section.read("width", job.width));
  CV_CHECK(section.read("max_steps", job.max_steps));
  CV_CHECK(section.read("max_per_slot", job.max_per_slot));
  CV_CHECK(section.read("maximum", job.maximum));
  CV_CHECK(section.read("epsilon", job.epsilon));
  CV_CHECK(section.read("delta", job.delta));
  return read_word<accounting::Analysis>(
      section, "analysis",
      {{"certified", accounting::Analysis::certified}, {"published", accounting::Analysis::published}}, job.analysis);
}

// What a mechanism understands is known to the mechanism; here only that its parameters are single values.
Result<void> read_mechanism(const Section& section, Job& job) {
  CV_CHECK(section.read("name", job.mechanism));
  for (const auto& [key, value] : section.values()) {
    if (key == "name") continue;
    if (const auto* flag = std::get_if<bool>(&value)) job.parameters.emplace(key, *flag);
    if (const auto* integer = std::get_if<std::int64_t>(&value)) job.parameters.emplace(key, *integer);
    if (const auto* number = std::get_if<double>(&value)) job.parameters.emplace(key, *number);
    if (const auto* text = std::get_if<std::string>(&value)) job.parameters.emplace(key, *text);
    if (std::holds_alternative<std::vector<std::string>>(value) ||
        std::holds_alternative<std::vector<std::int64_t>>(value))
      return fail(ErrorKind::usage, section.name_of(key) + ": it must be a single value");
  }
  return {};
}

Result<void> read_output(const Section& section, Job& job) {
  CV_CHECK(section.only(
      {"csv", "json", "report", "title", "level", "non_negative", "integers", "internal", "model", "formulas"}));
  CV_CHECK(read_path(section, "csv", job.path, job.csv));
  CV_CHECK(read_path(section, "json", job.path, job.json));
  CV_CHECK(read_path(section, "report", job.path, job.report));
  CV_CHECK(section.read("title", job.title));
  CV_CHECK(read_word<bool>(section, "formulas", {{"refuse", false}, {"keep", true}}, job.keeps_formulas));
  CV_CHECK(section.read("level", job.level));
  CV_CHECK(section.read("non_negative", job.non_negative));
  return section.read("integers", job.integers);
}

Result<void> read_live(const Section& section, Job& job) {
  CV_CHECK(section.only({"name", "after", "max_gap", "clock", "wait"}));
  job.live.given = !section.values().empty();
  job.live.name = job.path == "-" ? "live" : fs::path(job.path).stem().string();
  CV_CHECK(section.read("name", job.live.name));
  CV_CHECK(read_word<bool>(section, "after", {{"stop", false}, {"continue", true}}, job.live.continues));
  CV_CHECK(section.read("max_gap", job.live.max_gap));
  using Clock = LiveSpec::Clock;
  CV_CHECK(read_word<Clock>(section, "clock", {{"until", Clock::until}, {"system", Clock::system}}, job.live.clock));
  if (!section.has("wait")) return {};
  if (job.live.clock != Clock::system)
    return fail(ErrorKind::usage, "live.wait: it goes with clock = \"system\"; --until is exact");
  std::string wait;
  CV_CHECK(section.read("wait", wait));
  const std::optional<std::int64_t> duration = data::parse_duration(wait);
  if (!duration) return invalid("live.wait", wait, "it must be a whole number of s, min, h, d or w, such as 5min");
  job.live.wait = *duration;
  return {};
}

Result<void> check_source(const data::SourceSpec& source) {
  for (const auto& [key, column] :
       {std::pair{"source.user", source.user}, std::pair{"source.series", source.series},
        std::pair{"source.value", source.value}, std::pair{"source.value", source.measure},
        std::pair{"source.longitude", source.longitude}, std::pair{"source.latitude", source.latitude},
        std::pair{"source.time", std::optional<std::string>(source.time)}}) {
    if (column && column->empty()) return invalid(key, "''", "it must name a column");
  }
  if (source.kind == data::SourceKind::memory) {
    for (const auto& [key, given] :
         {std::pair{"source.path", &source.path}, std::pair{"source.url", &source.url},
          std::pair{"source.query", &source.query}, std::pair{"source.table", &source.table}})
      if (!given->empty()) return fail(ErrorKind::usage, std::string(key) + ": rows in memory are handed over instead");
    return {};
  }
  const bool database = source.kind != data::SourceKind::csv;
  if (source.kind == data::SourceKind::postgresql) {
    if (source.url.empty())
      return fail(ErrorKind::usage, "source.url: it is missing; for example postgresql://host/db");
    if (!source.path.empty()) return fail(ErrorKind::usage, "source.path: a postgresql source has a url instead");
  } else {
    if (source.path.empty()) return fail(ErrorKind::usage, "source.path: it is missing; for example \"trips.csv\"");
    if (!source.url.empty()) return fail(ErrorKind::usage, "source.url: it belongs to kind = \"postgresql\" alone");
  }
  if (!database && !(source.query.empty() && source.table.empty()))
    return fail(ErrorKind::usage, std::string(source.query.empty() ? "source.table" : "source.query") +
                                      ": it belongs to kind = \"sqlite\" and \"postgresql\"");
  if (database && source.query.empty() == source.table.empty())
    return fail(ErrorKind::usage, "source.table: a database needs either source.table or source.query");
  return {};
}

// Whether a spreadsheet that opens a CSV would calculate the cell instead of showing it, quoted or not. A number with a
// sign is a number.
bool begins_like_a_formula(const std::string& text) {
  if (text.empty() || std::string_view("=+-@").find(text.front()) == std::string_view::npos) return false;
  const char* const end = text.data() + text.size();
  const char* const digits = text.data() + (text.front() == '=' || text.front() == '@' ? 0 : 1);
  double number = 0;
  const auto [stop, error] = std::from_chars(digits, end, number);
  return error != std::errc() || stop != end || !((*digits >= '0' && *digits <= '9') || *digits == '.');
}

Result<void> check_keys(const Job& job) {
  const std::string section = job.means.given ? "places" : "series";
  const std::string column = job.means.given ? "source.place" : "source.series";
  // Keys are published as they are, so a list that is the data would be a release of all of it.
  if (same_file(job.key_list, job.source.path))
    return fail(ErrorKind::usage, section + ".list: '" + job.key_list + "' is the source; the keys must be public");
  if (job.source.series && job.keys.empty())
    return fail(ErrorKind::usage, section + ".list: it is missing; the keys of " + section +
                                      " are public and never discovered from data, so a job with " + column +
                                      " lists them (" + section + ".list = \"FILE\" or " + section +
                                      ".keys = [\"a\", \"b\"])");
  if (!job.keys.empty() && !job.source.series)
    return fail(ErrorKind::usage, column + ": it is missing; a list of keys needs the column that holds them");
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < job.keys.size(); ++i) {
    const std::string key = section + ".keys: key " + std::to_string(i + 1);
    if (job.keys[i].empty()) return fail(ErrorKind::usage, key + " is empty");
    // JSON could not write it, and would make two such keys one.
    if (!is_utf8(job.keys[i])) return fail(ErrorKind::usage, key + " is not UTF-8 text");
    CV_CHECK(check_plain_text(key, job.keys[i]));
    if (!job.csv.empty() && !job.keeps_formulas && begins_like_a_formula(job.keys[i]))
      return fail(ErrorKind::usage,
                  "output.formulas: key " + std::to_string(i + 1) + " of " + section + " begins with '" +
                      job.keys[i].substr(0, 1) +
                      "', which a spreadsheet takes for a formula; call it something else, or say that the CSV is not "
                      "for one (\"keep\")");
    if (!seen.insert(job.keys[i]).second) return fail(ErrorKind::usage, key + " is there twice");
  }
  return {};
}

using NamedPath = std::pair<std::string_view, std::string>;

std::vector<NamedPath> outputs_of(const Job& job) {
  return {{"output.csv", job.csv},
          {"output.json", job.json},
          {"output.report", job.report},
          {"output.internal", job.perturb.internal},
          {"output.model", job.train.output}};
}

Result<void> check_outputs(const Job& job) {
  for (const auto& [what, input] :
       {NamedPath{"the source", job.source.path}, NamedPath{"the job itself", job.path},
        NamedPath{job.means.given ? "the list of places" : "the list of series", job.key_list},
        NamedPath{"the public sample", job.public_sample}, NamedPath{"the public counts", job.means.counts_path},
        NamedPath{"the public spans", job.train.spans_path}}) {
    CV_CHECK(check_spared(job, what, input));
  }
  const std::vector<NamedPath> outputs = outputs_of(job);
  std::error_code ignored;
  for (const auto& [key, path] : outputs) {
    // A live release reads every file that appears there, and would publish what it published.
    if (!path.empty() && path != "-" && fs::is_directory(job.source.path, ignored) &&
        fs::equivalent(fs::absolute(path, ignored).parent_path(), job.source.path, ignored))
      return fail(ErrorKind::usage, std::string(key) + ": '" + path + "' lies in the folder that is the source");
    for (const auto& [other, same] : outputs) {
      if (other != key && !path.empty() && (same == path || same_file(same, path)))
        return fail(ErrorKind::usage, std::string(key) + ": '" + path + "' is " + std::string(other) + " too");
    }
  }
  return {};
}

}  // namespace

Result<void> check_spared(const Job& job, std::string_view what, const std::string& path) {
  for (const auto& [key, output] : outputs_of(job)) {
    if (same_file(output, path))
      return fail(ErrorKind::usage,
                  std::string(key) + ": '" + output + "' is " + std::string(what) + "; it would be overwritten");
  }
  return {};
}

Result<void> check_outside(const Job& job, std::string_view what, const std::string& folder) {
  std::error_code ignored;
  const fs::path outside = (fs::weakly_canonical(fs::absolute(folder, ignored), ignored) / "").parent_path();
  for (const auto& [key, output] : outputs_of(job)) {
    if (output.empty() || output == "-") continue;
    const fs::path file = fs::weakly_canonical(fs::absolute(output, ignored), ignored);
    if (std::mismatch(outside.begin(), outside.end(), file.begin(), file.end()).first == outside.end())
      return fail(ErrorKind::usage, std::string(key) + ": '" + output + "' lies in the folder of " + std::string(what) +
                                        "; name a file elsewhere");
  }
  return {};
}

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
      return fail(ErrorKind::usage,
                  key_of_list + ": line " + std::to_string(line) + " of '" + path + "' is not UTF-8 text");
    CV_CHECK(check_plain_text(key_of_list + ": line " + std::to_string(line) + " of '" + path + "'", key));
    if (!seen.insert(key).second)
      return fail(ErrorKind::usage, key_of_list + ": line " + std::to_string(line) + " of '" + path +
                                        "' holds a key for the second time");
    keys.push_back(std::move(key));
  }
  if (keys.empty()) return fail(ErrorKind::usage, key_of_list + ": '" + path + "' holds no key");
  return keys;
}

Result<void> check_values(const Job& job) {
  if (!job.dataset.empty()) {
    if (Result<void> named = ledger::check_dataset_name(job.dataset); !named)
      return fail(ErrorKind::usage, "dataset.name: " + named.error().message);
  }
  CV_CHECK(check_plain_text("dataset.purpose", job.purpose));
  CV_CHECK(check_plain_text("output.title", job.title));
  CV_CHECK(check_plain_text("live.name", job.live.name));
  CV_CHECK(check_source(job.source));
  CV_CHECK(check_keys(job));
  if (job.path == "-" && job.source.path == "-")
    return fail(ErrorKind::usage, "source.path: standard input holds the job; give the rows in a file");
  // The choice of a mechanism by private data would be a release of its own, without a debit.
  if (same_file(job.public_sample, job.source.path))
    return fail(ErrorKind::usage, "plan.sample: '" + job.public_sample + "' is the source; the sample must be public");
  if (!(job.epsilon > 0) || !std::isfinite(job.epsilon))
    return invalid("privacy.epsilon", job.epsilon, "it must be a finite number greater than 0");
  // Far outside of what anybody means, and inside of what the noise of every mechanism can be described with.
  if (job.epsilon < 1e-100 || job.epsilon > 1e30)
    return invalid("privacy.epsilon", job.epsilon, "it must be between 1e-100 and 1e30");
  if (!(job.delta >= 0) || !(job.delta < 1))
    return invalid("privacy.delta", job.delta, "it must be at least 0 and less than 1");
  if (job.max_steps) CV_CHECK(at_least_one("privacy.max_steps", *job.max_steps, kLargestCount));
  CV_CHECK(at_least_one("privacy.max_per_slot", job.max_per_slot, kLargestCount));
  if (job.maximum) CV_CHECK(at_least_one("privacy.maximum", *job.maximum, kLargestCount));
  CV_CHECK(at_least_one("privacy.width", job.width, kLargestCount));
  if (!(job.level > 0) || !(job.level < 1))
    return invalid("output.level", job.level, "it must be greater than 0 and less than 1");
  if (job.means.given) {
    CV_CHECK(check_means(job));
  } else if (job.perturb.given) {
    CV_CHECK(check_perturb(job));
  } else if (job.train.given) {
    CV_CHECK(check_train(job));
  } else if (job.relation == Relation::replace_values || job.relation == Relation::swap) {
    return invalid("privacy.relation", name(job.relation), "it must be add_remove or replace: a count tells where");
  }
  if (job.live.max_gap) CV_CHECK(at_least_one("live.max_gap", *job.live.max_gap, kLargestCount));
  if (job.live.clock == LiveSpec::Clock::system && !rows_are_people(job))
    return fail(ErrorKind::usage, "live.clock: it is for rows that are people; counts are published as they come");
  if (job.mechanism == "auto") {
    if (!job.parameters.empty())
      return fail(ErrorKind::usage, "mechanism." + job.parameters.begin()->first +
                                        ": parameters belong to a mechanism; give mechanism.name too");
  } else {
    if (job.means.given)
      CV_CHECK(mechanisms::find_cell_mechanism(job.mechanism));
    else if (job.perturb.given)
      CV_CHECK(mechanisms::find_temporal_mechanism(job.mechanism));
    else
      CV_CHECK(mechanisms::find_series_mechanism(job.mechanism));
  }
  return check_outputs(job);
}

Result<Job> parse_job(std::string_view toml, const std::string& path) {
  CV_TRY(const JobTable table, parse_table(toml, kSections));
  CV_CHECK(table.top.only({"version", "dataset", "source", "slots", "series", "places", "means", "privacy", "mechanism",
                           "plan", "output", "live", "perturb", "train"}));
  CV_CHECK(table.top.require("version", "1"));
  std::int64_t version = 0;
  CV_CHECK(table.top.read("version", version));
  if (version != 1) return invalid("version", std::to_string(version), "1, the version that this program reads");
  Job job;
  job.path = path;
  CV_CHECK(read_dataset(table.section("dataset"), job));
  CV_CHECK(read_source(table.section("source"), job));
  CV_CHECK(read_train(table, job));
  CV_CHECK(read_perturb(table, job));
  CV_CHECK(read_slots(table.section("slots"), job));
  CV_CHECK(read_means(table, job));
  CV_CHECK(read_keys(table.section(job.means.given ? "places" : "series"), job));
  CV_CHECK(read_privacy(table.section("privacy"), job));
  CV_CHECK(read_mechanism(table.section("mechanism"), job));
  if (!job.means.given) CV_CHECK(table.section("plan").only({"sample"}));
  CV_CHECK(read_path(table.section("plan"), "sample", job.path, job.public_sample));
  CV_CHECK(read_output(table.section("output"), job));
  CV_CHECK(read_live(table.section("live"), job));
  CV_CHECK(check_values(job));
  return job;
}

Result<Job> read_job(const std::string& path) {
  CV_TRY(const std::string text, read_text_file("job", path));
  Result<Job> job = parse_job(text, path);
  // Errors of the job name its file; those of other files name their own.
  if (!job && job.error().kind == ErrorKind::usage) job.error().message = path + ": " + job.error().message;
  return job;
}

Facts facts_of(const Job& job) {
  Facts facts;
  const auto add = [&](std::string key, std::string value) { facts.emplace_back(std::move(key), std::move(value)); };
  const auto add_number = [&](std::string key, std::int64_t number) { add(std::move(key), std::to_string(number)); };
  const data::SourceSpec& source = job.source;
  std::error_code ignored;
  add("dataset.name", job.dataset);
  constexpr std::string_view kinds[] = {"csv", "sqlite", "postgresql", "memory"};
  add("source.kind", std::string(kinds[static_cast<int>(source.kind)]));
  const bool file = !source.path.empty() && source.path != "-";
  add("source.path", file ? fs::absolute(source.path, ignored).lexically_normal().string() : source.path);
  add("source.url", source.url.empty() ? "" : ledger::place_digest(source.url));  // no password in it
  add("source.query", source.query);
  add("source.table", source.table);
  if (source.user) add("source.user", *source.user);
  add("source.time", source.time);
  if (source.series) add("source.series", *source.series);
  if (source.value) add("source.value", *source.value);
  if (source.measure) add("source.value", *source.measure);
  if (source.longitude) add("source.longitude", *source.longitude);
  if (source.latitude) add("source.latitude", *source.latitude);
  add("source.time_format", source.time_format);
  add("source.zone", source.zone);
  add("source.delimiter", std::string(1, source.delimiter));
  add("source.header", source.header ? "true" : "false");
  add("source.duplicates", job.duplicates == bound::Duplicates::sum ? "sum" : "refuse");
  add("slots.start", job.slots.start);
  add("slots.end", job.slots.end);
  add("slots.length", job.slots.length);
  add("slots.zone", job.slots.zone);
  for (const std::string& key : job.keys) add("series.keys", key);
  add("series.disjoint", job.disjoint ? "true" : "false");
  add("privacy.unit", std::string(name(job.unit)));
  add("privacy.relation", std::string(name(job.relation)));
  add_number("privacy.width", job.width);
  add_number("privacy.max_steps", job.max_steps.value_or(0));
  add_number("privacy.max_per_slot", job.max_per_slot);
  add_number("privacy.maximum", job.maximum.value_or(0));
  add("privacy.analysis", job.analysis == accounting::Analysis::published ? "published" : "certified");
  add("privacy.epsilon", shortest(job.epsilon));
  add("privacy.delta", shortest(job.delta));
  if (job.means.given) add_means_facts(job.means, facts);
  if (job.perturb.given) add_perturb_facts(job.perturb, facts);
  if (job.train.given) add_train_facts(job.train, facts);
  add("mechanism.name", job.mechanism);
  for (const auto& [key, value] : job.parameters) {
    const auto text = [](const auto& held) -> std::string {
      using Held = std::decay_t<decltype(held)>;
      if constexpr (std::is_same_v<Held, std::string>) return "\"" + held + "\"";
      if constexpr (std::is_same_v<Held, bool>) return held ? "true" : "false";
      if constexpr (std::is_same_v<Held, std::int64_t>) return std::to_string(held);
      if constexpr (std::is_same_v<Held, double>) return shortest(held);
    };
    add("mechanism." + key, std::visit(text, value));
  }
  return facts;
}

std::string digest_of(const Job& job) { return digest_of(facts_of(job)); }

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
