// The one table of job keys. A row says where a key stands, which kinds of job have it, how it is read into a job, and
// what of it is part of what the job asks, and what the program and docs/jobs.md say of it.
#pragma once

#include <span>
#include <string_view>

#include "chronoveil/engine/job/job.h"
#include "chronoveil/engine/job/options.h"
#include "chronoveil/engine/job/table.h"

namespace chronoveil::engine {

struct JobKey {
  std::string_view section, name;
  Result<void> (*read)(const Section&, std::string_view name, Job&) = nullptr;  // absent: its kind reads it
  // Adds the job's value under the key's name; absent: the key is not part of what the job asks.
  void (*tell)(const Job&, const std::string& key, Facts&) = nullptr;
  bool (*belongs)(const Job&) = nullptr;  // whether a job of that kind has it; absent: every job
  bool (*offered)(const Job&) = nullptr;  // whether a command for that kind has its option; absent: where it belongs
  std::string_view option = "", meaning = "", standard = "";  // see KeyInfo
  KeyShape shape = KeyShape::text;
  std::vector<std::string> (*choices)(const JobKind&) = nullptr;  // of a closed list of words

  constexpr JobKey as(std::string_view its_option, std::string_view its_meaning, std::string_view its_standard) const {
    JobKey key = *this;
    key.option = its_option, key.meaning = its_meaning, key.standard = its_standard;
    return key;
  }
  constexpr JobKey of(KeyShape its_shape) const {
    JobKey key = *this;
    key.shape = its_shape;
    return key;
  }
  constexpr JobKey out_of(std::vector<std::string> (*its_choices)(const JobKind&)) const {
    JobKey key = *this;
    key.choices = its_choices;
    return key;
  }
  constexpr JobKey offered_to(bool (*kinds)(const Job&)) const {
    JobKey key = *this;
    key.offered = kinds;
    return key;
  }
};

// In the order in which they are told: a digest depends on it.
std::span<const JobKey> job_keys();

std::vector<std::string_view> section_names();
// Every key that a section may have, whatever the kind of job.
std::vector<std::string_view> keys_of(std::string_view section);

// Reads the keys of a section that belong to the kind of job.
Result<void> read_section(const JobTable&, std::string_view section, Job&);

}  // namespace chronoveil::engine
