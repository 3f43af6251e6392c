#include "chronoveil/data/live_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

  Result<bool> next(Arrival& arrival) override {
    clear(arrival);
    for (;;) {
      CV_CHECK(lines_.take(arrival));
      if (!nothing_in(arrival)) return true;
      const std::span<char> room = lines_.room();
      const ssize_t got = read(descriptor_, room.data(), room.size());
      if (got < 0 && errno == EINTR) return fail(ErrorKind::interrupted, "interrupted while reading " + path_);
      if (got < 0) return fail(ErrorKind::storage, "cannot read " + path_ + ": " + std::strerror(errno));
      lines_.add(static_cast<std::size_t>(got));
      at_ += got;
      if (got > 0) continue;
      CV_CHECK(look_around(arrival));
    }
  }

 private:
  // At the end: another file, a shorter one, or a wait.
  Result<void> look_around(Arrival& arrival) {
    struct stat ours {
    }, there{};
    if (fstat(descriptor_, &ours) != 0) {
      return fail(ErrorKind::storage, "cannot read " + path_ + ": " + std::strerror(errno));
    }
    const bool other = stat(path_.c_str(), &there) == 0 && (there.st_ino != ours.st_ino || there.st_dev != ours.st_dev);
    // What was written before the replacement was seen is there to read now, so read once more before leaving.
    if (other && !std::exchange(replaced_, true)) return {};
    if (other) {
      lines_.refuse_rest(arrival, "the file was replaced by another before the line had its end");
      CV_TRY(const bool opened, open_path());
      arrival.anew = opened;
      return opened ? Result<void>() : wait();
    }
    replaced_ = false;
    if (ours.st_size >= at_) return wait();
    lines_.refuse_rest(arrival, "the file was cut before the line had its end");
    if (lseek(descriptor_, 0, SEEK_SET) != 0) {
      return fail(ErrorKind::storage, "cannot read " + path_ + ": " + std::strerror(errno));
    }
    from_the_beginning();
    arrival.anew = true;
    return {};
  }

  Result<void> wait() { return watch_.wait(ChangeWatch::kShortest); }

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
