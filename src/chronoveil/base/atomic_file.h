// Files that appear whole or not at all: written beside the target, synchronised, then renamed over it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/base/result.h"

namespace chronoveil {

struct OutputFile {
  std::string path;  // "-" is standard output
  std::string text;
  int mode = 0644;
};

// Whether a file can be written there: its folder exists and can be written to. An error names `what` and the path.
Result<void> check_writable(std::string_view what, const std::string& path);

// All of them are complete on the disk before the first is renamed, so that an error in one leaves none.
Result<void> write_files(const std::vector<OutputFile>&);

}  // namespace chronoveil
