// The machine's limit for reading a file of rows: finding the ends of its lines, and nothing more.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace chronoveil::bench {

// 0 when the file cannot be read.
inline std::size_t newlines_in(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY);
  if (file < 0) return 0;
  std::vector<char> buffer(256 << 10);
  std::size_t lines = 0;
  for (ssize_t got; (got = read(file, buffer.data(), buffer.size())) > 0;) {
    const char* at = buffer.data();
    const char* const end = at + got;
    while ((at = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)))) != nullptr) {
      ++lines;
      ++at;
    }
  }
  close(file);
  return lines;
}

}  // namespace chronoveil::bench
