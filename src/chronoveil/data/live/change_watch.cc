#include "chronoveil/data/live/change_watch.h"

#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace chronoveil::data {

ChangeWatch::ChangeWatch() : descriptor_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)), all_watched_(descriptor_ >= 0) {}

ChangeWatch::~ChangeWatch() {
  if (descriptor_ >= 0) close(descriptor_);
}

void ChangeWatch::watch(const std::string& path) {
  constexpr std::uint32_t kChanges = IN_MODIFY | IN_CREATE | IN_MOVED_TO | IN_CLOSE_WRITE | IN_DELETE_SELF;
  if (descriptor_ < 0 || inotify_add_watch(descriptor_, path.c_str(), kChanges) < 0) all_watched_ = false;
}

Result<void> ChangeWatch::wait(std::chrono::milliseconds longest) {
  pollfd ready{descriptor_, POLLIN, 0};  // poll ignores a negative one
  const auto time = all_watched_ ? longest : std::min(longest, kShortest);
  if (poll(&ready, 1, static_cast<int>(time.count())) < 0 && errno == EINTR) {
    return fail(ErrorKind::interrupted, "interrupted while waiting for input");
  }
  drain();
  return {};
}

bool ChangeWatch::changed() { return drain() || !all_watched_; }

// What changed does not matter, only that something did.
bool ChangeWatch::drain() {
  if (descriptor_ < 0) return false;
  alignas(inotify_event) char events[4096];
  bool any = false;
  while (read(descriptor_, events, sizeof events) > 0) any = true;
  return any;
}

}  // namespace chronoveil::data
