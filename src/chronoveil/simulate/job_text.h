// A job file that releases simulated data, ready to run. Every number in it comes from what was asked to be simulated,
// none from the data that came out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chronoveil::simulate {

// What a world says about its own release.
struct JobFacts {
  std::string dataset;
  std::optional<std::string> user;  // columns
  std::string time;
  std::optional<std::string> series, value;
  std::string zone, start, end, length;   // start and end are dates
  std::optional<std::int64_t> max_steps;  // none: every step
  std::int64_t max_per_slot = 1;
  std::string caps_reason;  // why these caps: a comment in the job
};

// Where things lie, as the job will name them.
struct JobPaths {
  std::string data, keys;  // without a list of keys, the job holds them itself
  std::string csv, json, report;
};

std::string job_text(const JobFacts&, const std::vector<std::string>& keys, const JobPaths&);

}  // namespace chronoveil::simulate
