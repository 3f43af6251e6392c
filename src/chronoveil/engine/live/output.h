// The file that grows by one row per published value. It is only ever appended to, and a restart finds out how far the
// last append came: rows are neither lost nor written twice, and a file that somebody else changed is left alone.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "chronoveil/base/result.h"

namespace chronoveil::engine {

class LiveOutput {
 public:
  // A file that is not there yet, or empty.
  static Result<LiveOutput> begin(const std::string& path);
  // A file that holds `synced` bytes and then some or all of `unsynced`: the missing part is appended.
  static Result<LiveOutput> resume(const std::string& path, std::int64_t synced, std::string_view unsynced);
  // Replaces what an earlier rehearsal left: a file is overwritten only when its first line is this header.
  static Result<LiveOutput> rehearse(const std::string& path, std::string_view header);

  LiveOutput(LiveOutput&&) noexcept;
  LiveOutput& operator=(LiveOutput&&) = delete;
  ~LiveOutput();

  // All lines or none, unless the process is killed in between.
  Result<void> append(std::string_view lines);
  Result<void> sync();
  // How the file begins: at most so many bytes.
  Result<std::string> beginning(std::size_t most) const;
  // The lines that resume() had to complete, which nobody has seen, and where they begin in the file.
  struct CaughtUp {
    std::int64_t at = 0;
    std::string lines;
  };
  const CaughtUp& caught_up() const { return caught_up_; }

 private:
  LiveOutput(int file, std::string path) : file_(file), path_(std::move(path)) {}

  int file_ = -1;
  std::string path_;
  CaughtUp caught_up_;
};

}  // namespace chronoveil::engine
