// Whatever a command prints for people or as JSON, without characters that control the terminal: the last barrier, so
// that no other code has to be trusted. Files on standard output bypass it unchanged.
#pragma once

#include <iosfwd>
#include <memory>

namespace chronoveil::cli {

// While it lives, what is written to the stream passes through visible_lines().
class VisibleOutput {
 public:
  explicit VisibleOutput(std::ostream&);
  ~VisibleOutput();
  VisibleOutput(const VisibleOutput&) = delete;
  VisibleOutput& operator=(const VisibleOutput&) = delete;

 private:
  class Buffer;
  std::ostream& stream_;
  std::unique_ptr<Buffer> buffer_;
};

}  // namespace chronoveil::cli
