// What holds for every job, however it was made.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <unordered_set>

#include "chronoveil/base/plain_text.h"
#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/job/section_readers.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/engine/means/job.h"
#include "chronoveil/engine/perturb/job.h"
#include "chronoveil/engine/places/places.h"
#include "chronoveil/engine/train/job.h"
#include "chronoveil/ledger/dataset.h"
#include "chronoveil/mechanisms/catalogue.h"

namespace chronoveil::engine {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLargestCount = std::int64_t{1} << 53;

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
      if (!given->empty()) return fail(ErrorKind::usage, std::string(key), "rows in memory are handed over instead");
    return {};
  }
  const bool database = source.kind != data::SourceKind::csv;
  if (source.kind == data::SourceKind::postgresql) {
    if (source.url.empty())
      return fail(ErrorKind::usage, "source.url", "it is missing; for example postgresql://host/db");
    if (!source.path.empty()) return fail(ErrorKind::usage, "source.path", "a postgresql source has a url instead");
  } else {
    if (source.path.empty()) return fail(ErrorKind::usage, "source.path", "it is missing; for example \"trips.csv\"");
    if (!source.url.empty()) return fail(ErrorKind::usage, "source.url", "it belongs to kind = \"postgresql\" alone");
  }
  if (!database && !(source.query.empty() && source.table.empty()))
    return fail(ErrorKind::usage, source.query.empty() ? "source.table" : "source.query",
                "it belongs to kind = \"sqlite\" and \"postgresql\"");
  if (database && source.query.empty() == source.table.empty())
    return fail(ErrorKind::usage, "source.table", "a database needs either `source.table` or `source.query`");
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

Result<void> check_formula(const Job& job, const std::string& text, const std::string& which) {
  const bool rows = !job.csv.empty() || (is_of_counts(job) && !job.series().totals.empty());
  if (!rows || job.keeps_formulas || !begins_like_a_formula(text)) return {};
  return fail(ErrorKind::usage, "output.formulas",
              which + " begins with '" + text.substr(0, 1) +
                  "', which a spreadsheet takes for a formula; rename it, or state that the CSV is not for a "
                  "spreadsheet (\"keep\")");
}

Result<void> check_groups(const Job& job) {
  const SeriesSpec& spec = job.series();
  if (same_file(spec.groups_path, job.source.path))
    return fail(ErrorKind::usage, "series.groups",
                "'" + spec.groups_path + "' is the source; the groups must be public");
  for (const std::string& name : spec.groups) CV_CHECK(check_formula(job, name, "a group of series"));
  return {};
}

Result<void> check_keys(const Job& job) {
  const std::string section = job.is<MeansSpec>() || job.source.longitude ? "places" : "series";
  const std::string column = job.is<MeansSpec>() ? "source.place" : "source.series";
  // Keys are published as they are: a list that is the data would publish the data.
  if (same_file(job.key_list, job.source.path))
    return fail(ErrorKind::usage, section + ".list", "'" + job.key_list + "' is the source; the keys must be public");
  if (job.source.series && job.keys.empty())
    return fail(ErrorKind::usage, section + ".list",
                "it is missing; the keys of " + section + " are public and never discovered from data, so a job with " +
                    column + " lists them (`" + section + ".list = \"FILE\"` or `" + section +
                    ".keys = [\"a\", \"b\"]`)");
  if (!job.keys.empty() && !job.source.series && !job.source.key_of_point && job.source.wide.empty())
    return fail(ErrorKind::usage, column, "it is missing; a list of keys needs the column that holds them");
  std::unordered_set<std::string_view> seen;
  for (std::size_t i = 0; i < job.keys.size(); ++i) {
    const std::string which = "key " + std::to_string(i + 1);
    if (job.keys[i].empty()) return fail(ErrorKind::usage, section + ".keys", which + " is empty");
    // JSON could not write it, and would make two such keys one.
    if (!is_utf8(job.keys[i])) return fail(ErrorKind::usage, section + ".keys", which + " is not UTF-8 text");
    CV_CHECK(check_plain_text(section + ".keys", job.keys[i], which));
    CV_CHECK(check_formula(job, job.keys[i], "key " + std::to_string(i + 1) + " of " + section));
    if (!seen.insert(job.keys[i]).second) return fail(ErrorKind::usage, section + ".keys", which + " is there twice");
  }
  return {};
}

// A wide file has a column per series. Without a user its fields are counts, so that the caps are declared.
Result<void> check_wide(const Job& job) {
  const data::SourceSpec& source = job.source;
  for (const auto& [key, column] : {std::pair{"source.series", source.series}, std::pair{"source.value", source.value},
                                    std::pair{"source.longitude", source.longitude}}) {
    if (column)
      return fail(ErrorKind::usage, key, "where `source.wide` is true, the columns are the series and hold the counts");
  }
  if (job.keys.empty())
    return fail(ErrorKind::usage, "series.keys",
                "it is missing; where `source.wide` is true, it names the columns that are series");
  return {};
}

Result<void> check_kind(const Job& job, const SeriesSpec& series) {
  CV_CHECK(check_groups(job));
  if (series.wide) CV_CHECK(check_wide(job));
  CV_CHECK(check_places(job));
  // The choice of a mechanism by private data would be a release of its own, without a debit.
  if (same_file(series.public_sample, job.source.path))
    return fail(ErrorKind::usage, "plan.sample",
                "'" + series.public_sample + "' is the source; the sample must be public");
  CV_CHECK(at_least_one("privacy.max_per_slot", series.max_per_slot, kLargestCount));
  if (series.maximum) CV_CHECK(at_least_one("privacy.maximum", *series.maximum, kLargestCount));
  if (series.users) CV_CHECK(at_least_one("plan.users", *series.users, kLargestCount));
  if (job.relation == Relation::replace_values || job.relation == Relation::swap)
    return invalid("privacy.relation", name(job.relation), "it must be add_remove or replace: a count tells where");
  // Noise on everything must be somebody's decision, whether the cap is enforced on records or declared of counts.
  if (job.unit == Unit::user && !job.max_steps && !job.may_lack_caps)
    return fail(ErrorKind::usage, "privacy.max_steps", "it is missing; " + std::string(kHowToCapSteps));
  return {};
}

Result<void> check_kind(const Job& job, const LiveSpec& live) {
  CV_CHECK(check_kind(job, static_cast<const SeriesSpec&>(live)));
  CV_CHECK(check_plain_text("live.name", live.name));
  if (live.max_gap) CV_CHECK(at_least_one("live.max_gap", *live.max_gap, kLargestCount));
  if (live.clock == LiveSpec::Clock::system && !rows_are_people(job))
    return fail(ErrorKind::usage, "live.clock", "it is for rows that are people; counts are published as they come");
  return {};
}

Result<void> check_kind(const Job& job, const MeansSpec&) { return check_means(job); }
Result<void> check_kind(const Job& job, const PerturbSpec&) { return check_perturb(job); }
Result<void> check_kind(const Job& job, const TrainSpec&) { return check_train(job); }

Result<void> check_mechanism(const Job& job) {
  if (job.mechanism == "auto") {
    if (job.parameters.empty()) return {};
    return fail(ErrorKind::usage, "mechanism." + job.parameters.begin()->first,
                "parameters belong to a mechanism; give `mechanism.name` too");
  }
  if (job.is<MeansSpec>())
    CV_CHECK(mechanisms::find_cell_mechanism(job.mechanism));
  else if (job.is<PerturbSpec>())
    CV_CHECK(mechanisms::find_temporal_mechanism(job.mechanism));
  else
    CV_CHECK(mechanisms::find_series_mechanism(job.mechanism));
  return {};
}

using NamedPath = std::pair<std::string_view, std::string>;

std::vector<NamedPath> outputs_of(const Job& job) {
  std::vector<NamedPath> outputs{{"output.csv", job.csv},
                                 {"output.json", job.json},
                                 {"output.report", job.report},
                                 {"output.chart", job.chart},
                                 {"output.geojson", job.geojson}};
  if (is_of_counts(job)) outputs.emplace_back("output.totals", job.series().totals);
  if (job.is<LiveSpec>()) outputs.emplace_back("live.rejects", job.live().rejects);
  if (job.is<PerturbSpec>()) outputs.emplace_back("output.internal", job.perturb().internal);
  if (job.is<TrainSpec>()) outputs.emplace_back("output.model", job.train().output);
  return outputs;
}

// The files that the job reads, each with what it is.
std::vector<NamedPath> inputs_of(const Job& job) {
  std::vector<NamedPath> inputs{{"the source", job.source.path}, {"the job itself", job.path}};
  inputs.emplace_back(job.is<MeansSpec>() ? "the list of places" : "the list of series", job.key_list);
  inputs.emplace_back("the file of areas", job.places.areas);
  if (is_of_counts(job)) {
    inputs.emplace_back("the public sample", job.series().public_sample);
    inputs.emplace_back("the groups of series", job.series().groups_path);
  }
  if (job.is<MeansSpec>()) inputs.emplace_back("the public counts", job.means().counts_path);
  if (job.is<TrainSpec>()) inputs.emplace_back("the public spans", job.train().spans_path);
  return inputs;
}

Result<void> check_outputs(const Job& job) {
  for (const auto& [what, input] : inputs_of(job)) CV_CHECK(check_spared(job, what, input));
  const std::vector<NamedPath> outputs = outputs_of(job);
  std::error_code ignored;
  for (const auto& [key, path] : outputs) {
    // A live release reads every file that appears in its folder, so it would read its own output.
    if (!path.empty() && path != "-" && fs::is_directory(job.source.path, ignored) &&
        fs::equivalent(fs::absolute(path, ignored).parent_path(), job.source.path, ignored))
      return fail(ErrorKind::usage, std::string(key), "'" + path + "' lies in the folder that is the source");
    for (const auto& [other, same] : outputs) {
      if (other != key && !path.empty() && (same == path || same_file(same, path)))
        return fail(ErrorKind::usage, std::string(key), "'" + path + "' is " + std::string(other) + " too");
    }
  }
  return {};
}

}  // namespace

Result<void> check_spared(const Job& job, std::string_view what, const std::string& path) {
  for (const auto& [key, output] : outputs_of(job)) {
    if (same_file(output, path))
      return fail(ErrorKind::usage, std::string(key),
                  "'" + output + "' is " + std::string(what) + "; it would be overwritten");
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
      return fail(ErrorKind::usage, std::string(key),
                  "'" + output + "' lies in the folder of " + std::string(what) + "; name a file elsewhere");
  }
  return {};
}

Result<void> check_values(const Job& job) {
  if (!job.dataset.empty()) {
    if (Result<void> named = ledger::check_dataset_name(job.dataset); !named)
      return tl::unexpected(under_key("dataset.name", std::move(named.error())));
  }
  CV_CHECK(check_plain_text("dataset.purpose", job.purpose));
  CV_CHECK(check_plain_text("output.title", job.title));
  if (!job.caps_from.empty() && !ledger::DebitId::parse(job.caps_from))
    return invalid("privacy.caps_from", job.caps_from, "it must be a debit, such as city:3");
  CV_CHECK(check_source(job.source));
  CV_CHECK(check_keys(job));
  if (job.path == "-" && job.source.path == "-")
    return fail(ErrorKind::usage, "source.path", "standard input holds the job; give the rows in a file");
  if (!(job.epsilon > 0) || !std::isfinite(job.epsilon))
    return invalid("privacy.epsilon", job.epsilon, "it must be a finite number greater than 0");
  // Wider than anybody needs, and within what every mechanism's noise can express.
  if (job.epsilon < 1e-100 || job.epsilon > 1e30)
    return invalid("privacy.epsilon", job.epsilon, "it must be between 1e-100 and 1e30");
  if (!(job.delta >= 0) || !(job.delta < 1))
    return invalid("privacy.delta", job.delta, "it must be at least 0 and less than 1");
  if (job.max_steps && job.max_steps != kAllSteps)
    CV_CHECK(at_least_one("privacy.max_steps", *job.max_steps, kLargestCount));
  CV_CHECK(at_least_one("privacy.width", job.width, kLargestCount));
  if (!(job.level > 0) || !(job.level < 1))
    return invalid("output.level", job.level, "it must be greater than 0 and less than 1");
  CV_CHECK(std::visit([&](const auto& spec) { return check_kind(job, spec); }, job.kind));
  CV_CHECK(check_mechanism(job));
  return check_outputs(job);
}

}  // namespace chronoveil::engine
