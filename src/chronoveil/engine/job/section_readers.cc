#include "chronoveil/engine/job/section_readers.h"

#include <filesystem>

#include "chronoveil/engine/job/job.h"

namespace chronoveil::engine {
namespace fs = std::filesystem;

std::string beside(const std::string& job, const std::string& path) {
  if (path.empty() || path == "-" || path.starts_with('/')) return path;
  const fs::path folder = fs::path(job).parent_path();
  return (folder / path).lexically_normal().string();
}

Result<void> read_path(const Section& section, std::string_view key, const std::string& job, std::string& into) {
  CV_CHECK(section.read(key, into));
  if (section.has(key) && into.empty()) return invalid(section.name_of(key), "''", "it must be a path");
  if (into.find('\0') != std::string::npos)
    return fail(ErrorKind::usage, section.name_of(key), "a path cannot hold a NUL character");
  into = beside(job, into);
  return {};
}

Result<void> read_column(const Section& section, std::string_view key, std::optional<std::string>& into) {
  const auto found = section.values().find(key);
  if (found == section.values().end()) return {};
  if (const auto* number = std::get_if<std::int64_t>(&found->second)) {
    into = std::to_string(*number);
    return {};
  }
  CV_CHECK(section.read(key, into));
  if (into->empty()) return invalid(section.name_of(key), "''", "it must name a column");
  return {};
}

Result<void> read_steps(const Section& section, std::string_view key, std::optional<std::int64_t>& into) {
  const auto found = section.values().find(key);
  if (found == section.values().end()) return {};
  if (const auto* const whole = std::get_if<std::int64_t>(&found->second)) {
    into = *whole;
  } else if (const auto* const word = std::get_if<std::string>(&found->second); word != nullptr && *word == kAll) {
    into = kAllSteps;
  } else {
    return fail(ErrorKind::usage, section.name_of(key), "it must be a whole number, or \"all\"");
  }
  return {};
}

Result<void> at_least_one(std::string_view key, std::int64_t value, std::int64_t most) {
  if (value >= 1 && value <= most) return {};
  return invalid(key, std::to_string(value), "it must be a whole number between 1 and " + std::to_string(most));
}

Result<void> refuse(const JobTable& table, std::string_view section, std::initializer_list<std::string_view> keys,
                    std::string_view instead) {
  for (const std::string_view key : keys) {
    if (table.section(section).has(key))
      return fail(ErrorKind::usage, std::string(section) + "." + std::string(key), std::string(instead));
  }
  return {};
}

}  // namespace chronoveil::engine
