// What the commands share that take a job from options instead of a file: release, means and perturb. The options are
// those of the table of job keys.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/engine/job/options.h"
#include "run_flags.h"

namespace chronoveil::cli {

struct JobOptions {
  engine::JobKind kind;
  std::string input;
  std::map<std::string, std::vector<std::string>> words;  // by key
  std::vector<std::string> parameters;                    // of the mechanism, each as name=value
  RunFlags flags;
  bool json = false;

  bool names_a_job() const { return input.ends_with(".toml"); }
};

// An option for every key of the kind, and what they give.
void add_key_options(CLI::App&, JobOptions&);
Result<engine::GivenKeys> given_keys(const JobOptions&);

// INPUT, an option for every key of the kind, --set, and how a run is made.
void add_job_options(CLI::App&, JobOptions&, std::string_view input);

// The job that the options make. Where no output is named, the release itself is the answer, on standard output.
Result<engine::Job> job_of(const JobOptions&);

// The job file that INPUT names, of the same kind; refuses options that belong to a job from options.
Result<engine::Job> named_job(const JobOptions&, const CLI::App&, std::string_view section);

}  // namespace chronoveil::cli
