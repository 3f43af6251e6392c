// A job out of words instead of a file, such as the options of a command line, under the names of the keys of a job.
// Everything that is said of a key stands in one table: job files, options, completion and docs/jobs.md follow it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chronoveil/base/nearest.h"
#include "chronoveil/engine/job/job.h"

namespace chronoveil::engine {

// steps: a whole number, or "all"; words: a list that commas separate.
enum class KeyShape { text, whole, steps, number, flag, texts, words };

struct KeyInfo {
  std::string key;            // "privacy.epsilon"
  std::string_view option;    // "--epsilon", with other names after commas; empty: only a job file has it
  std::string_view meaning;   // Markdown
  std::string_view standard;  // the default, in words; Markdown
  KeyShape shape = KeyShape::text;
  std::vector<std::string> choices = {};  // of a closed list of words, for that kind of job

  // A flag that says false where the key would be true: "--no-header".
  bool negates() const { return shape == KeyShape::flag && standard == "`true`"; }
};

// Every key, in the order of docs/jobs.md.
std::vector<KeyInfo> all_keys();
// A meaning or a default without the marks of Markdown: links are their words, code is plain.
std::string plain_words(std::string_view markdown);
// Those for which a command that makes a job of that kind has an option.
std::vector<KeyInfo> option_keys(const JobKind&);
// What stands at the head of a section, and at its default.
std::vector<std::pair<std::string_view, std::string_view>> section_meanings();

// The job that these keys and words make, checked as one that was read from a file; `path` is empty, and a dataset is
// not needed to rehearse. Parameters of a mechanism are keys too: "mechanism.rate". Errors name keys.
using GivenKeys = std::vector<std::pair<std::string, std::vector<std::string>>>;
Result<Job> job_of(JobKind kind, const GivenKeys& given);

}  // namespace chronoveil::engine
