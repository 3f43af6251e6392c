#include "chronoveil/engine/means/job.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/engine/job/section_readers.h"
#include "chronoveil/engine/job/text_file.h"
#include "chronoveil/engine/means/means.h"
#include "chronoveil/engine/places/places.h"

namespace chronoveil::engine {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 30;  // records of one cell, and people

// Keys of counts have no meaning here; ignored in silence, they would look obeyed.
Result<void> refuse_what_counts_have(const JobTable& table) {
  const auto refuse = [&](std::string_view section, std::initializer_list<std::string_view> keys,
                          std::string_view instead) -> Result<void> {
    for (const std::string_view key : keys) {
      if (table.section(section).has(key))
        return fail(ErrorKind::usage, std::string(section) + "." + std::string(key),
                    "it belongs to counts; " + std::string(instead));
    }
    return {};
  };
  CV_CHECK(refuse("privacy", {"width", "max_steps", "max_per_slot", "maximum", "relation"},
                  "means have `means.max_cells` and `means.max_records`, and each mechanism its relation"));
  CV_CHECK(refuse("output", {"non_negative", "integers"},
                  "means are clamped to `means.lower` and `means.upper`, and smoothed with `output.smooth`"));
  return refuse("source", {"duplicates"}, "in means every record counts");
}

}  // namespace

Result<void> refuse_means(const JobTable& table, const Job& job) {
  constexpr std::string_view kOfMeans = "it belongs to a job of means; add [means] with lower and upper";
  CV_CHECK(refuse(table, "source", {"place"}, kOfMeans));
  CV_CHECK(refuse(table, "plan", {"counts"}, kOfMeans));
  CV_CHECK(refuse(table, "output", {"smooth"}, kOfMeans));
  if (is_of_counts(job))
    return refuse(table, "places", {"list", "keys"}, "counts have `series.list` and `series.keys`");
  constexpr std::string_view kOfBoth = "it belongs to a job of means or of counts";
  CV_CHECK(refuse(table, "source", {"longitude", "latitude"}, kOfBoth));
  CV_CHECK(refuse(table, "plan", {"users"}, kOfBoth));
  if (table.section("places").values().empty()) return {};
  return fail(ErrorKind::usage, "[places]", std::string(kOfBoth));
}

Result<void> refuse_in_means(const JobTable& table) {
  for (const std::string_view other : {"series", "live"}) {
    if (!table.section(other).values().empty())
      return fail(ErrorKind::usage, "[" + std::string(other) + "]",
                  std::string("a job of means has no such section") + (other == "series" ? "; it has [places]" : ""));
  }
  CV_CHECK(table.section("means").require("upper", "65.0"));
  if (table.section("source").has("series"))
    return fail(ErrorKind::usage, "source.series", "a job of means has `source.place`, or longitude and latitude");
  CV_CHECK(refuse(table, "plan", {"sample"}, "it belongs to counts; means have `plan.counts` and `plan.users`"));
  CV_CHECK(refuse_what_counts_have(table));
  if (!table.section("means").has("counts"))
    return fail(ErrorKind::usage, "means.counts",
                "it is missing; \"private\" hides everything that a person did; \"public\" hides the values alone, and "
                "who was where and when, with how many records, becomes public");
  return {};
}

Result<void> complete_means(const JobTable& table, Job& job) {
  CV_CHECK(read_column(table.section("source"), "place", job.source.series));
  job.source.measure = std::exchange(job.source.value, std::nullopt);
  return {};
}

Result<void> check_means(const Job& job) {
  const MeansSpec& means = job.means();
  if (job.unit != Unit::user) return invalid("privacy.unit", name(job.unit), "it must be user for means");
  if (!job.source.user) return fail(ErrorKind::usage, "source.user", "it is missing; means need the column of users");
  if (!job.source.measure)
    return fail(ErrorKind::usage, "source.value", "it is missing; means need the column that is averaged");
  CV_CHECK(by_key({"means"}, bound::ValueGrid::make(means.lower, means.upper)));
  if (means.max_cells) CV_CHECK(at_least_one("means.max_cells", *means.max_cells, std::int64_t{1} << 53));
  if (means.max_records) CV_CHECK(at_least_one("means.max_records", *means.max_records, kMost));
  CV_CHECK(at_least_one("means.sparse_below", means.sparse_below, kMost));
  if (means.registered) CV_CHECK(at_least_one("means.registered", *means.registered, kMost));
  if (means.users) CV_CHECK(at_least_one("plan.users", *means.users, kMost));
  if (same_file(means.counts_path, job.source.path))
    return fail(ErrorKind::usage, "plan.counts",
                "'" + means.counts_path + "' is the source; the counts must be public");
  return check_places(job);
}

Result<std::vector<std::uint32_t>> read_counts(std::string_view key, const std::string& text, const std::string& job,
                                               std::string& path) {
  const std::string name(key);
  std::string list = text;
  path.clear();
  if (text.find_first_not_of("0123456789, ") != std::string::npos) {
    path = beside(job, text.starts_with('@') ? text.substr(1) : text);
    CV_TRY(list, read_text_file(key, path));
  }
  std::vector<std::uint32_t> counts;
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t start = list.find_first_not_of(", \t\r\n", at);
    if (start == std::string::npos) break;
    const std::size_t end = std::min(list.find_first_of(", \t\r\n", start), list.size());
    const std::string word = list.substr(start, end - start);
    at = end;
    const bool digits = word.size() <= 10 && word.find_first_not_of("0123456789") == std::string::npos;
    const std::int64_t count = digits ? std::stoll(word) : 0;
    if (count < 1 || count > kMost)
      return fail(ErrorKind::usage, name,
                  "number " + std::to_string(counts.size() + 1) +
                      " is not valid; it must be a whole number of records between 1 and " + std::to_string(kMost));
    counts.push_back(static_cast<std::uint32_t>(count));
  }
  if (counts.empty()) return fail(ErrorKind::usage, name, "there is no number; it must hold the records of each user");
  return counts;
}

}  // namespace chronoveil::engine
