#include "output/data_output.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "chronoveil/base/plain_text.h"

namespace chronoveil::cli {
namespace {

// What the caps are: raising one for what is seen here would make the job depend on the data.
std::string caps_text(const engine::Job& job) {
  std::string text;
  const auto add = [&](const char* cap, const std::optional<std::int64_t>& most) {
    if (most && *most != engine::kAllSteps) text += fmt::format("{}{} = {}", text.empty() ? " (" : ", ", cap, *most);
  };
  if (job.is<engine::MeansSpec>()) {
    add("max_cells", job.means().max_cells);
    add("max_records", job.means().max_records);
  } else if (engine::is_of_counts(job)) {
    add("max_steps", job.max_steps);
    add("max_per_slot", job.series().max_per_slot);
  }
  return text.empty() ? text : text + ")";
}

// A point that lies nowhere has no key.
std::string keys_text(const engine::Job& job, const engine::DataSeen& seen) {
  std::string text = fmt::format("keys      {} of {} listed have rows", seen.matched, seen.listed), others;
  bool outside = false;
  for (const std::string& key : seen.unlisted) {
    const bool nowhere = job.source.key_of_point && key == "\n";
    outside = outside || nowhere;
    if (!nowhere) others += fmt::format(" \"{}\"", visible(key));
  }
  if (!others.empty()) text += "; the first that are not listed:" + others;
  return text + (outside ? "; some rows lie outside of all places\n" : "\n");
}

}  // namespace

std::string seen_text(const engine::Job& job, const engine::DataSeen& seen) {
  std::string text = job.is<engine::PerturbSpec>() ? fmt::format("rows      {}\n", seen.rows)
                                                   : fmt::format("rows      {}: {} inside the span, {} count\n",
                                                                 seen.rows, seen.inside_span, seen.counted);
  if (seen.files) text += fmt::format("files     {}, each read whole\n", *seen.files);
  if (!seen.first.empty()) text += fmt::format("times     {} to {}\n", visible(seen.first), visible(seen.last));
  if (job.is<engine::PerturbSpec>()) return text;
  if (seen.listed > 0) text += keys_text(job, seen);
  if (seen.people)
    text += fmt::format("people    {}: {} above the caps{}, which leave out {} records\n", *seen.people,
                        *seen.people_over_caps, caps_text(job), seen.over_caps);
  if (seen.refused > 0)
    text += fmt::format("refused   {} by live; the first is {}\n", seen.refused, visible(seen.first_refused));
  if (seen.counted > 0) return text;
  if (!job.is<engine::LiveSpec>())
    text += fmt::format("empty     0 of {} rows count: run refuses that without --allow-empty\n", seen.rows);
  else if (seen.rows == 0)
    text += "empty     no row is there yet: check again with the first one, before live makes the debit\n";
  else
    text += fmt::format("empty     0 of {} rows count: live would publish none of them\n", seen.rows);
  return text;
}

nlohmann::ordered_json seen_json(const engine::DataSeen& seen) {
  nlohmann::ordered_json all{{"rows", seen.rows},
                             {"inside_span", seen.inside_span},
                             {"counted", seen.counted},
                             {"first", seen.first},
                             {"last", seen.last},
                             {"keys_listed", seen.listed},
                             {"keys_matched", seen.matched},
                             {"first_unlisted", seen.unlisted}};
  if (seen.people) {
    all["people"] = *seen.people;
    all["people_over_caps"] = *seen.people_over_caps;
    all["records_over_caps"] = seen.over_caps;
  }
  if (seen.files) all["files"] = *seen.files;
  if (seen.refused > 0) {
    all["refused"] = seen.refused;
    all["first_refused"] = seen.first_refused;
  }
  return all;
}

}  // namespace chronoveil::cli
