#include "chronoveil/engine/job/keys.h"

#include <algorithm>

#include "chronoveil/engine/job/key_fields.h"
#include "chronoveil/engine/job/named_errors.h"
#include "chronoveil/mechanisms/catalogue.h"

namespace chronoveil::engine {

std::span<const JobKey> job_keys() { return key_fields::table(); }

std::vector<std::string_view> section_names() {
  std::vector<std::string_view> names;
  for (const JobKey& key : job_keys())
    if (std::find(names.begin(), names.end(), key.section) == names.end()) names.push_back(key.section);
  return names;
}

std::vector<std::pair<std::string_view, std::string_view>> section_meanings() {
  return {{"dataset", ""},
          {"source", "see [input](input.md)"},
          {"slots", "see [input](input.md)"},
          {"series", "needed where `source.series` or `source.wide` is"},
          {"privacy", ""},
          {"means", "makes it a job of [means](#means) per place and slot instead of counts"},
          {"plan", "what is known in public, to choose a mechanism by"},
          {"places", "a grid, or areas, for `longitude` and `latitude`; for `place` a list; without it, one place"},
          {"perturb", "makes it a job that [hides when, not what](#hiding-when), in one series"},
          {"train", "makes it a job that [trains a forecasting model](#training)"},
          {"mechanism", "see [mechanisms](mechanisms/README.md); any other key is a parameter: `rate = 0.2`"},
          {"output", "at least one file; `-` is standard output"},
          {"live", "for a release that [publishes each step as it comes](#live)"}};
}

std::vector<std::string_view> keys_of(std::string_view section) {
  std::vector<std::string_view> names;
  for (const JobKey& key : job_keys())
    if (key.section == section) names.push_back(key.name);
  return names;
}

Result<void> read_section(const JobTable& table, std::string_view section, Job& job) {
  const Section& values = table.section(section);
  if (section != "mechanism") CV_CHECK(values.only(keys_of(section)));
  for (const JobKey& key : job_keys())
    if (key.section == section && key.read && (!key.belongs || key.belongs(job)))
      CV_CHECK(key.read(values, key.name, job));
  return {};
}

// The parameters of a mechanism are keys of its section.
bool is_parameter(std::string_view name) {
  const auto of = [&](const auto& catalogue) {
    return std::any_of(catalogue.begin(), catalogue.end(), [&](const auto* mechanism) {
      return std::any_of(mechanism->parameters.begin(), mechanism->parameters.end(),
                         [&](const mechanisms::ParameterInfo& info) { return info.name == name; });
    });
  };
  return of(mechanisms::series_catalogue()) || of(mechanisms::cell_catalogue()) || of(mechanisms::temporal_catalogue());
}

bool has_key(std::string_view section, std::string_view name) {
  const auto keys = keys_of(section);
  return std::find(keys.begin(), keys.end(), name) != keys.end() || (section == "mechanism" && is_parameter(name));
}

std::string key_of(std::initializer_list<std::string_view> sections, const std::string& parameter) {
  for (const std::string_view section : sections)
    if (has_key(section, parameter)) return std::string(section) + "." + parameter;
  return parameter;
}

Error under_key(std::string_view key, Error error) {
  if (!error.where.empty() || !error.parameter.empty()) error = {.kind = error.kind, .message = error.text()};
  error.parameter = key;
  return error;
}

Facts facts_of(const Job& job) {
  Facts facts;
  for (const JobKey& key : job_keys())
    if (key.tell) key.tell(job, std::string(key.section).append(".").append(key.name), facts);
  return facts;
}

}  // namespace chronoveil::engine
