#include "chronoveil/data/live_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "chronoveil/data/change_watch.h"

namespace chronoveil::data {
namespace {

class FollowedFile final : public LiveInput {
 public:
  FollowedFile(std::string path, LiveLines lines) : path_(std::move(path)), lines_(std::move(lines)) {
    const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
    watch_.watch(folder.empty() ? "." : folder.string());
  }
  ~FollowedFile() override {
    if (descriptor_ >= 0) close(descriptor_);
  }
  FollowedFile(const FollowedFile&) = delete;
  FollowedFile& operator=(const FollowedFile&) = delete;

  // False when there is no such file.
  Result<bool> open_path() {
    const int opened = open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (opened < 0 && errno == ENOENT) return false;
    if (opened < 0) return fail(ErrorKind::storage, "cannot open " + path_ + ": " + std::strerror(errno));
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = opened;
    watch_.watch(path_);  // where it is a link, what changes is in another folder
    from_the_beginning();
    return true;
  }

  Result<Awaited> next_within(Arrival& arrival, std::chrono::milliseconds longest) override {
    clear(arrival);
    const Patience patience(longest);
    for (;;) {
      CV_CHECK(lines_.take(arrival));
      if (!nothing_in(arrival)) return Awaited::something;
      const std::span<char> room = lines_.room();
      const ssize_t got = read(descriptor_, room.data(), room.size());
      if (got < 0 && errno == EINTR) return fail(ErrorKind::interrupted, "interrupted while reading " + path_);
      if (got < 0) return fail(ErrorKind::storage, "cannot read " + path_ + ": " + std::strerror(errno));
      lines_.add(static_cast<std::size_t>(got));
      at_ += got;
      if (got > 0) continue;
      CV_TRY(const bool more, look_around(arrival));
      if (more) continue;
      if (patience.over()) return arrival.anew ? Awaited::something : Awaited::nothing;
      CV_CHECK(watch_.wait(std::min(ChangeWatch::kShortest, patience.left())));
    }
  }

 private:
  // At the end: whether there is something to read after all, in another file or a shorter one.
  Result<bool> look_around(Arrival& arrival) {
    struct stat ours {
    }, there{};
    if (fstat(descriptor_, &ours) != 0) {
      return fail(ErrorKind::storage, "cannot read " + path_ + ": " + std::strerror(errno));
    }
    const bool other = stat(path_.c_str(), &there) == 0 && (there.st_ino != ours.st_ino || there.st_dev != ours.st_dev);
    // What was written before the replacement was seen is there to read now, so read once more before leaving.
    if (other && !std::exchange(replaced_, true)) return true;
    if (other) {
      lines_.refuse_rest(arrival, "the file was replaced by another before the line had its end");
      CV_TRY(const bool opened, open_path());
      arrival.anew = opened;
      return opened;
    }
    replaced_ = false;
    if (ours.st_size >= at_) return false;
    lines_.refuse_rest(arrival, "the file was cut before the line had its end");
    if (lseek(descriptor_, 0, SEEK_SET) != 0) {
      return fail(ErrorKind::storage, "cannot read " + path_ + ": " + std::strerror(errno));
    }
    from_the_beginning();
    arrival.anew = true;
    return true;
  }

  void from_the_beginning() {
    lines_.begin("");
    at_ = 0;
    replaced_ = false;
  }

  std::string path_;
  LiveLines lines_;
  ChangeWatch watch_;
  int descriptor_ = -1;
  off_t at_ = 0;
  bool replaced_ = false;  // by another file, while this one is read to its end
};

}  // namespace

Result<std::unique_ptr<LiveInput>> follow_file(const std::string& path, LiveLines lines) {
  auto file = std::make_unique<FollowedFile>(path, std::move(lines));
  CV_TRY(const bool there, file->open_path());
  if (!there) return fail(ErrorKind::storage, "cannot open " + path + ": " + std::strerror(ENOENT));
  return file;
}

}  // namespace chronoveil::data
