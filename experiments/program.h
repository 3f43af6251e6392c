// What the programs of the experiments share: how they are called, and how they write.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "chronoveil/base/result.h"

namespace chronoveil::experiments {

inline Result<void> write(const std::filesystem::path& path, std::string_view text) {
  std::ofstream file(path);
  file << text;
  if (!file.flush()) return fail(ErrorKind::storage, path.string() + ": cannot be written");
  return {};
}

// The exit code; an error is printed on standard error.
inline int ended(std::string_view program, const Result<void>& done) {
  if (done) return 0;
  fmt::print(stderr, "{}: {}\n", program, done.error().text());
  return static_cast<int>(done.error().kind);
}

// A program that takes DATA|--toy OUT TRIALS: calls `run` with these, with at least `least` trials.
inline int run_program(std::string_view program, int least, int argc, char** argv,
                       Result<void> (*run)(const std::string& data, const std::filesystem::path& out, int trials)) {
  const int trials = argc == 4 ? std::atoi(argv[3]) : 0;
  if (trials < least) {
    fmt::print(stderr, "usage: {} DATA|--toy OUT TRIALS, TRIALS at least {}\n", program, least);
    return 2;
  }
  return ended(program, run(argv[1], argv[2], trials));
}

}  // namespace chronoveil::experiments
