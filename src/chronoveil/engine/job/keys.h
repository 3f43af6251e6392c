// The one table of job keys. A row says where a key stands, which kinds of job have it, how it is read into a job, and
// how it counts in what the job asks. Reading, the refusal of unknown keys, the digest and docs/jobs.md follow it.
#pragma once

#include <span>
#include <string_view>

#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/job/table.h"

namespace chronoveil::engine {

struct JobKey {
  std::string_view section, name;
  Result<void> (*read)(const Section&, std::string_view name, Job&) = nullptr;  // absent: its kind reads it
  // Adds the job's value under the key's name; absent: the key is not part of what the job asks.
  void (*tell)(const Job&, const std::string& key, Facts&) = nullptr;
  bool (*belongs)(const Job&) = nullptr;  // whether a job of that kind has it; absent: every job
};

// In the order in which they are told: a digest depends on it.
std::span<const JobKey> job_keys();

std::vector<std::string_view> section_names();
// Every key that a section may have, whatever the kind of job.
std::vector<std::string_view> keys_of(std::string_view section);

// Reads the keys of a section that belong to the kind of job.
Result<void> read_section(const JobTable&, std::string_view section, Job&);

}  // namespace chronoveil::engine
