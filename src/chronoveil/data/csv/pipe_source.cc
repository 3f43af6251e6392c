#include "chronoveil/data/csv/pipe_source.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "chronoveil/data/live/patience.h"

namespace chronoveil::data {
namespace {

class PipeSource final : public ByteSource {
 public:
  PipeSource(int descriptor, bool owned, std::string name)
      : descriptor_(descriptor), owned_(owned), name_(std::move(name)) {}
  ~PipeSource() override {
    if (owned_) close(descriptor_);
  }
  PipeSource(const PipeSource&) = delete;
  PipeSource& operator=(const PipeSource&) = delete;

  Result<std::size_t> read(char* to, std::size_t size) override {
    std::size_t got = 0;
    if (held_) size = std::min(size, *held_);
    while (got < size && !ended_) {
      // Asking first, instead of making the descriptor non-blocking: standard input is shared with other processes.
      pollfd ready{descriptor_, POLLIN, 0};
      const int count = std::exchange(interrupted_, false) ? interrupt() : poll(&ready, 1, got > 0 ? 0 : -1);
      if (count == 0) break;
      const ssize_t more = count < 0 ? -1 : ::read(descriptor_, to + got, size - got);
      if (more > 0) {
        got += static_cast<std::size_t>(more);
      } else if (more == 0) {
        ended_ = true;
      } else if (errno == EINTR) {
        if (got == 0) return fail(ErrorKind::interrupted, "interrupted while reading " + name_);
        interrupted_ = true;  // what was read goes out first
        break;
      } else if (errno != EAGAIN) {
        return fail(ErrorKind::storage, "cannot read " + name_ + ": " + std::strerror(errno));
      }
    }
    if (held_) *held_ -= got;
    return got;
  }

  Result<bool> ready(std::chrono::milliseconds longest) override {
    if (ended_ || interrupted_) return true;
    if (held_ == 0U) {
      held_.reset();
      return false;
    }
    pollfd ready{descriptor_, POLLIN, 0};
    const int count = poll(&ready, 1, poll_time(longest));
    if (count < 0 && errno == EINTR) return fail(ErrorKind::interrupted, "interrupted while reading " + name_);
    if (count < 0) return fail(ErrorKind::storage, "cannot read " + name_ + ": " + std::strerror(errno));
    if (count == 0) held_.reset();
    return count > 0;
  }

  Result<void> hold() override {
    struct stat status {};
    int there = 0;
    // A regular file has an end, and may be longer than FIONREAD can tell.
    if (fstat(descriptor_, &status) == 0 && !S_ISREG(status.st_mode) && ioctl(descriptor_, FIONREAD, &there) == 0)
      held_ = static_cast<std::size_t>(there);
    return {};
  }

 private:
  static int interrupt() {
    errno = EINTR;
    return -1;
  }

  int descriptor_;
  bool owned_;
  std::string name_;
  std::optional<std::size_t> held_;  // bytes left of those that were there
  bool ended_ = false;               // a terminal could be read again after its end
  bool interrupted_ = false;         // not yet reported
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_pipe(const std::string& path) {
  if (path == "-") return std::make_unique<PipeSource>(STDIN_FILENO, false, "standard input");
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return fail(ErrorKind::storage, "cannot open " + path + ": " + std::strerror(errno));
  return std::make_unique<PipeSource>(descriptor, true, path);
}

}  // namespace chronoveil::data
