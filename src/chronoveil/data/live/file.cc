#include "chronoveil/data/live/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <utility>

#include "chronoveil/data/live/change_watch.h"

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
      const bool last = held_ && held_after_ == 0;
      if (last && at_ >= *held_) return nothing_more(arrival);
      std::span<char> room = lines_.room();
      if (last) room = room.first(std::min(room.size(), static_cast<std::size_t>(*held_ - at_)));
      const ssize_t got = read(descriptor_, room.data(), room.size());
      if (got < 0 && errno == EINTR) return fail(ErrorKind::interrupted, "interrupted while reading " + path_);
      if (got < 0) return fail(ErrorKind::storage, "cannot read " + path_ + ": " + std::strerror(errno));
      lines_.add(static_cast<std::size_t>(got));
      at_ += got;
      if (got > 0) continue;
      CV_TRY(const bool more, look_around(arrival));
      if (more) continue;
      if (patience.over()) return nothing_more(arrival);
      CV_CHECK(watch_.wait(std::min(ChangeWatch::kShortest, patience.left())));
    }
  }

  Result<void> hold() override {
    CV_TRY(const Files files, files_now());
    const bool cut = files.ours.st_size < at_;
    held_ = files.ours.st_size;
    held_after_ = files.replaced() ? files.there.st_size : cut ? files.ours.st_size : 0;
    return {};
  }

 private:
  // The file that is open, and what is at its path, if anything is.
  struct Files {
    struct stat ours {
    }, there{};
    bool any = false;
    bool replaced() const { return any && (there.st_ino != ours.st_ino || there.st_dev != ours.st_dev); }
  };
  Result<Files> files_now() const {
    Files files;
    if (fstat(descriptor_, &files.ours) != 0)
      return fail(ErrorKind::storage, "cannot read " + path_ + ": " + std::strerror(errno));
    files.any = stat(path_.c_str(), &files.there) == 0;
    return files;
  }

  // That the input begins anew must be reported at once, even before it has rows.
  Awaited nothing_more(const Arrival& arrival) {
    if (arrival.anew) return Awaited::something;
    held_.reset();
    held_after_ = 0;
    return Awaited::nothing;
  }

  // At the end of the file: whether there is something to read after all, because it was replaced or cut.
  Result<bool> look_around(Arrival& arrival) {
    CV_TRY(const Files files, files_now());
    const bool other = files.replaced();
    // The old file may have grown before its replacement was seen, so read it once more before leaving it.
    if (other && !std::exchange(replaced_, true)) return true;
    if (other) {
      lines_.refuse_rest(arrival, "the file was replaced by another before the line had its end");
      CV_TRY(const bool opened, open_path());
      arrival.anew = opened;
      return opened;
    }
    replaced_ = false;
    if (files.ours.st_size >= at_) return false;
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
    if (held_) held_ = std::exchange(held_after_, 0);
  }

  std::string path_;
  LiveLines lines_;
  ChangeWatch watch_;
  int descriptor_ = -1;
  off_t at_ = 0;
  std::optional<off_t> held_;  // the end of what was there
  off_t held_after_ = 0;       // the same after it begins anew: in a new file, or in this one after a cut
  bool replaced_ = false;      // by another file, while this one is read to its end
};

}  // namespace

Result<std::unique_ptr<LiveInput>> follow_file(const std::string& path, LiveLines lines) {
  auto file = std::make_unique<FollowedFile>(path, std::move(lines));
  CV_TRY(const bool there, file->open_path());
  if (!there) return fail(ErrorKind::storage, "cannot open " + path + ": " + std::strerror(ENOENT));
  return file;
}

}  // namespace chronoveil::data
