#include "chronoveil/engine/perturb/job.h"

#include <algorithm>

#include "chronoveil/engine/job/section_readers.h"
#include "chronoveil/mechanisms/temporal_mechanism.h"
#include "chronoveil/temporal/switching.h"

namespace chronoveil::engine {
namespace {

using mechanisms::kLongestSeries;
using temporal::kLargestWindow;

Result<void> different(std::string_view key, const std::vector<std::string>& names) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) return fail(ErrorKind::usage, std::string(key), "a name is empty");
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i))
      return fail(ErrorKind::usage, std::string(key), "'" + names[i] + "' is there twice");
  }
  return {};
}

}  // namespace

bool asks_for_stream(const Job& job) { return job.perturb().stream || (job.source.path == "-" && job.delta > 0); }

Result<void> refuse_in_perturb(const JobTable& table) {
  for (const std::string_view other : {"slots", "series", "places", "means", "plan", "live"}) {
    if (!table.section(other).values().empty())
      return fail(ErrorKind::usage, "[" + std::string(other) + "]",
                  "a job with [perturb] has no such section: its steps "
                  "are its rows, and it is about one series");
  }
  CV_CHECK(refuse(table, "source",
                  {"user", "series", "value", "place", "longitude", "latitude", "query", "table", "url", "time_format",
                   "zone", "duplicates"},
                  "a job with [perturb] reads one series from a CSV, whose times it does not look at"));
  CV_CHECK(refuse(table, "privacy", {"relation", "width", "max_steps", "max_per_slot", "maximum"},
                  "it belongs to counts; a job with [perturb] has `privacy.window`"));
  return refuse(table, "output", {"level", "non_negative", "integers"}, "it belongs to counts");
}

Result<void> check_perturb(const Job& job) {
  const PerturbSpec& perturb = job.perturb();
  if (job.source.kind != data::SourceKind::csv && job.source.kind != data::SourceKind::memory)
    return fail(ErrorKind::usage, "source.kind", "a series is perturbed from a CSV; write the table to one first");
  CV_CHECK(different("perturb.columns", perturb.columns));
  CV_CHECK(different("perturb.keep", perturb.keep));
  CV_CHECK(different("perturb.categories", perturb.categories));
  for (const std::string& column : perturb.keep) {
    if (std::find(perturb.columns.begin(), perturb.columns.end(), column) != perturb.columns.end())
      return fail(ErrorKind::usage, "perturb.keep", "'" + column + "' is to be perturbed too");
  }
  if (perturb.has_times) {
    for (const auto& [key, names] : {std::pair{"perturb.columns", &perturb.columns}, {"perturb.keep", &perturb.keep}}) {
      if (std::find(names->begin(), names->end(), job.source.time) != names->end())
        return fail(ErrorKind::usage, std::string(key),
                    "'" + job.source.time + "' is the column of times; it stays in place");
    }
  }
  if (job.unit == Unit::w_event) return invalid("privacy.unit", "w-event", "it must be event or user");
  if (perturb.window && (*perturb.window < 2 || *perturb.window > kLargestWindow))
    return invalid("privacy.window", std::to_string(*perturb.window),
                   "it must be a whole number between 2 and " + std::to_string(kLargestWindow));
  if (perturb.length) CV_CHECK(at_least_one("perturb.length", *perturb.length, kLongestSeries));
  if (perturb.average != 0) CV_CHECK(at_least_one("perturb.average", perturb.average, kLongestSeries));
  if (perturb.times_move && !perturb.has_times)
    return fail(ErrorKind::usage, "perturb.move", "the rows have no times that could move");
  if (perturb.times_move && perturb.independent)
    return fail(ErrorKind::usage, "perturb.move",
                "where rows get new times, their columns stay together; leave "
                "`perturb.channels = \"independent\"` out");
  if (perturb.times_move && !perturb.keep.empty())
    return fail(ErrorKind::usage, "perturb.keep", "where rows get new times, every column goes with its row");
  if (!perturb.internal.empty() && asks_for_stream(job))
    return fail(ErrorKind::usage, "output.internal", "a stream keeps nothing to look at; perturb a file");
  return {};
}

}  // namespace chronoveil::engine
