#include "chronoveil/data/pipe_source.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "chronoveil/data/patience.h"

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
    return got;
  }

  Result<bool> ready(std::chrono::milliseconds longest) override {
    if (ended_ || interrupted_) return true;
    pollfd ready{descriptor_, POLLIN, 0};
    const int count = poll(&ready, 1, poll_time(longest));
    if (count < 0 && errno == EINTR) return fail(ErrorKind::interrupted, "interrupted while reading " + name_);
    if (count < 0) return fail(ErrorKind::storage, "cannot read " + name_ + ": " + std::strerror(errno));
    return count > 0;
  }

 private:
  static int interrupt() {
    errno = EINTR;
    return -1;
  }

  int descriptor_;
  bool owned_;
  std::string name_;
  bool ended_ = false;        // a terminal could be read again after its end
  bool interrupted_ = false;  // and nobody was told yet
};

}  // namespace

Result<std::unique_ptr<ByteSource>> open_pipe(const std::string& path) {
  if (path == "-") return std::make_unique<PipeSource>(STDIN_FILENO, false, "standard input");
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return fail(ErrorKind::storage, "cannot open " + path + ": " + std::strerror(errno));
  return std::make_unique<PipeSource>(descriptor, true, path);
}

}  // namespace chronoveil::data
