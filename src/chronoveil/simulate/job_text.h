// A job file that releases simulated data, ready to run. Every number in it comes from the request, none from the
// simulated data.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace chronoveil::simulate {

// For a release of means: the column that is averaged, its bounds, and a public grid for longitude and latitude.
struct MeansFacts {
  std::string value, longitude, latitude;  // columns
  double upper = 0;                        // the lower bound is 0
  std::int64_t max_cells = 1;
  std::int64_t sparse_below = 1;                    // users, which are public
  double west = 0, south = 0, east = 0, north = 0;  // degrees
  double size = 0;                                  // metres
};

// What a world says about its own release.
struct JobFacts {
  std::string dataset;
  std::optional<std::string> user;  // columns
  std::string time;
  std::optional<std::string> series, value;
  std::string zone, start, end, length;   // start and end are dates
  std::optional<std::int64_t> max_steps;  // none: every step, "all"
  std::int64_t max_per_slot = 1;
  std::string caps_reason;          // why these caps: a comment in the job
  std::optional<MeansFacts> means;  // then no series, no value, no max_steps
};

// Paths as the job will name them.
struct JobPaths {
  std::string data, keys;  // without a list of keys, the job holds them itself
  std::string csv, json, report;
};

std::string job_text(const JobFacts&, const std::vector<std::string>& keys, const JobPaths&);

}  // namespace chronoveil::simulate
