// Shared by the commands that take a job from options instead of a file: release, means and perturb.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chronoveil/engine/series/series.h"
#include "run_flags.h"

namespace chronoveil::cli {

struct DirectJob {
  std::string input;
  std::string kind = "csv";
  std::string delimiter = ",";
  bool no_header = false;
  std::vector<std::string> keys;
  std::string key_list;
  std::optional<std::string> analysis;
  std::vector<std::string> parameters;
  RunFlags flags;
  bool json = false;
  engine::Job job;
};

// INPUT, and how a CSV is read.
void add_input_options(CLI::App&, DirectJob&, std::string_view input);
// The same plus databases; the columns of user and time, and the slots.
void add_source_options(CLI::App&, DirectJob&, std::string_view input);
// The dataset, ε and δ, and the mechanism.
void add_privacy_options(CLI::App&, DirectJob&);
// Where the release goes, and how a run is made.
void add_file_options(CLI::App&, DirectJob&);
// The same plus replays and the level of intervals.
void add_output_options(CLI::App&, DirectJob&);

// The job so far: source, parameters, outputs.
Result<engine::Job> plain_job_of(const DirectJob&);
// The same with slots and keys (`option`: "series" or "place"). The command adds the rest.
Result<engine::Job> job_of(const DirectJob&, const std::string& option);

// Errors name the keys of a job file; this puts the names of options in their place. Names of the command itself come
// first.
Error with_options(Error, std::span<const std::pair<std::string_view, std::string_view>> own);

}  // namespace chronoveil::cli
