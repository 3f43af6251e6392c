#include "key_names.h"

#include <algorithm>

#include "chronoveil/engine/job/options.h"

namespace chronoveil::cli {
namespace {

// "--max-steps" for "max_steps".
std::string dashed(std::string_view name) {
  std::string option = "--" + std::string(name);
  std::replace(option.begin(), option.end(), '_', '-');
  return option;
}

std::string last_part(std::string_view key) { return std::string(key.substr(key.rfind('.') + 1)); }

bool has_option(const CLI::App& command, const std::string& name) {
  return command.get_option_no_throw(name) != nullptr;
}

// The first of the names of an option.
std::string first_name(std::string_view option) { return std::string(option.substr(0, option.find(','))); }

}  // namespace

std::string run_names(std::string_view key) {
  return key.starts_with("run.") ? dashed(last_part(key)) : std::string(key);
}

std::string key_of_option(std::string_view option) {
  for (const engine::KeyInfo& key : engine::all_keys()) {
    const std::string names = "," + std::string(key.option) + ",";
    if (names.find("," + std::string(option) + ",") != std::string::npos) return key.key;
  }
  return "";
}

KeyNames option_names(const CLI::App& command) {
  return [&command](std::string_view key) -> std::string {
    for (const engine::KeyInfo& known : engine::all_keys())
      if (known.key == key && !known.option.empty() && has_option(command, first_name(known.option)))
        return first_name(known.option);
    if (std::string option = dashed(last_part(key)); has_option(command, option)) return option;
    if (key.starts_with("mechanism.") && has_option(command, "--set")) return "--set " + last_part(key);
    return run_names(key);
  };
}

Error in_words(Error error, const KeyNames& names) {
  if (!error.parameter.empty()) error.parameter = names(error.parameter);
  for (std::string* part : {&error.where, &error.valid, &error.message}) *part = with_key_names(*part, names);
  return error;
}

}  // namespace chronoveil::cli
