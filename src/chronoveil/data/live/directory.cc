#include "chronoveil/data/live/directory.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <set>
#include <string_view>
#include <utility>

#include "chronoveil/data/csv/form.h"
#include "chronoveil/data/live/change_watch.h"

namespace chronoveil::data {
namespace {

using namespace std::chrono_literals;

// Even where the kernel reports changes, an occasional listing finds those that it does not know of.
constexpr std::chrono::milliseconds kListAgain = 1s;

bool is_not_there_yet(std::string_view name) {
  return name.starts_with('.') || name.ends_with(".tmp") || name.ends_with(".part");
}

// For messages, which have one line.
std::string printable(std::string name) {
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  }
  return name;
}

class Directory final : public LiveInput {
 public:
  Directory(std::string path, bool follow, FileOrder order, bool may_be_empty, LiveLines lines)
      : path_(std::move(path)),
        follow_(follow),
        any_order_(order == FileOrder::any),
        may_be_empty_(may_be_empty),
        lines_(std::move(lines)) {
    if (follow_) watch_.watch(path_);
  }

  Result<Awaited> next_within(Arrival& arrival, std::chrono::milliseconds longest) override {
    clear(arrival);
    const Patience patience(longest);
    if (!listed_) CV_CHECK(list(arrival));
    for (;;) {
      if (file_) {
        arrival.part = printable(last_);
        CV_CHECK(read_on(*file_, lines_, arrival, patience));
        if (arrival.complete) {
          file_.reset();
          if (!may_be_empty_ && !lines_.has_columns())
            return fail(ErrorKind::bad_data, arrival.part + ": " + std::string(kNoHeader));
        }
        return Awaited::something;
      }
      if (follow_ && !held_ && (waiting_.empty() || watch_.changed())) CV_CHECK(list(arrival));
      if (!arrival.refused.empty()) return Awaited::something;
      if (!waiting_.empty()) {
        CV_CHECK(open_first());
      } else if (!follow_) {
        return Awaited::end;
      } else if (held_ || patience.over()) {
        held_ = false;
        return Awaited::nothing;
      } else {
        CV_CHECK(watch_.wait(std::min(kListAgain, patience.left())));
      }
    }
  }

  // Files are whole when their names appear, so the next listing has all files that count.
  Result<void> hold() override {
    listed_ = false;
    held_ = true;
    return {};
  }

  // Finds files to read, and files that came too late.
  Result<void> list(Arrival& arrival) {
    struct Close {
      void operator()(DIR* folder) const { closedir(folder); }
    };
    const std::unique_ptr<DIR, Close> folder(opendir(path_.c_str()));
    if (!folder) return fail(ErrorKind::storage, "cannot list " + path_ + ": " + std::strerror(errno));
    listed_ = true;
    waiting_.clear();
    std::set<std::string> still_there;
    for (;;) {
      errno = 0;
      const dirent* const entry = readdir(folder.get());
      if (entry == nullptr && errno != 0) {
        return fail(ErrorKind::storage, "cannot list " + path_ + ": " + std::strerror(errno));
      }
      if (entry == nullptr) break;
      const std::string name = entry->d_name;
      if (is_not_there_yet(name)) continue;
      struct stat status {};
      if (done_.contains(name)) {
        still_there.insert(name);
      } else if (fstatat(dirfd(folder.get()), name.c_str(), &status, 0) != 0 || !S_ISREG(status.st_mode)) {
        continue;
      } else if (any_order_ || name > last_) {
        waiting_.insert(name);
      } else {
        still_there.insert(name);
        arrival.refused.push_back(
            {printable(name), "the file came too late: it or one that sorts after it was read already"});
      }
    }
    done_ = std::move(still_there);  // so that it does not grow beyond the directory
    return {};
  }

 private:
  Result<void> open_first() {
    last_ = *waiting_.begin();
    waiting_.erase(waiting_.begin());
    done_.insert(last_);
    const std::string path = path_ + "/" + last_;
    auto file = open_file(path);
    struct stat status {};
    if (!file && stat(path.c_str(), &status) != 0 && errno == ENOENT) return {};  // taken away again
    if (!file) return tl::unexpected(std::move(file).error());
    auto bytes = decompress_if_needed(std::move(*file));
    if (!bytes) return tl::unexpected(at(printable(last_), std::move(bytes)).error());
    file_ = std::move(*bytes);
    lines_.begin(printable(last_));
    return {};
  }

  std::string path_;
  bool follow_;
  bool any_order_;
  bool may_be_empty_;
  LiveLines lines_;
  ChangeWatch watch_;
  bool listed_ = false;
  bool held_ = false;                 // no listing until `nothing` was returned
  std::set<std::string> waiting_;     // to be read, in order
  std::set<std::string> done_;        // read or refused, and still there
  std::string last_;                  // the last file that was opened
  std::unique_ptr<ByteSource> file_;  // that is being read
};

}  // namespace

Result<std::unique_ptr<LiveInput>> open_directory(const std::string& path, bool follow, FileOrder order,
                                                  bool may_be_empty, LiveLines lines) {
  auto directory = std::make_unique<Directory>(path, follow, order, may_be_empty, std::move(lines));
  Arrival nothing;
  CV_CHECK(directory->list(nothing));
  return directory;
}

}  // namespace chronoveil::data
