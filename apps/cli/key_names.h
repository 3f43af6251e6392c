// What keys of a job are called on the command line. Errors name keys; the names are put on here, and nowhere else.
#pragma once

#include <CLI/CLI.hpp>
#include <utility>

#include "chronoveil/base/result.h"

namespace chronoveil::cli {

// Beside a job file: keys stay what they are in it, and what is asked of a run is an option: "run.again" is "--again".
std::string run_names(std::string_view key);

// The key that some other command has this option for; empty if none has it: "--epsilon" is "privacy.epsilon".
std::string key_of_option(std::string_view option);

// Where options make up the job: the option of the command that stands for the key.
KeyNames option_names(const CLI::App& command);

// The error with these names wherever it names a key.
Error in_words(Error, const KeyNames&);

// The result with its error in the words of the command's options.
template <class T>
Result<T> in_options(const CLI::App& command, Result<T> result) {
  if (!result) result.error() = in_words(std::move(result.error()), option_names(command));
  return result;
}

}  // namespace chronoveil::cli
