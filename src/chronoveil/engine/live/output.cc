#include "chronoveil/engine/live/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "chronoveil/base/system/atomic_file.h"

namespace chronoveil::engine {
namespace {

Failure storage(const std::string& path, std::string_view what) {
  return fail(ErrorKind::storage, "output.csv", "'" + path + "' " + std::string(what) + ": " + std::strerror(errno));
}

Failure changed(const std::string& path, std::string_view how) {
  return fail(ErrorKind::storage, "output.csv",
              "'" + path + "' " + std::string(how) + "; put back the file as this release left it, then go on");
}

Result<int> open_regular(const std::string& path, mode_t mode = 0644) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, mode);
  if (file < 0) return storage(path, "cannot be opened");
  struct stat facts {};
  if (::fstat(file, &facts) == 0 && S_ISREG(facts.st_mode)) return file;
  ::close(file);
  return fail(ErrorKind::usage, "output.csv",
              "'" + path + "' must be a regular file: rows are appended, and found again after a crash");
}

Result<std::string> read_from(int file, const std::string& path, std::int64_t at, std::size_t most) {
  std::string bytes(most, '\0');
  std::size_t got = 0;
  while (got < most) {
    const ssize_t more = ::pread(file, bytes.data() + got, most - got, at + static_cast<std::int64_t>(got));
    if (more < 0 && errno == EINTR) continue;
    if (more < 0) return storage(path, "cannot be read");
    if (more == 0) break;
    got += static_cast<std::size_t>(more);
  }
  bytes.resize(got);
  return bytes;
}

}  // namespace

LiveOutput::LiveOutput(LiveOutput&& other) noexcept
    : file_(std::exchange(other.file_, -1)), path_(std::move(other.path_)), caught_up_(std::move(other.caught_up_)) {}

LiveOutput::~LiveOutput() {
  if (file_ >= 0) ::close(file_);
}

Result<LiveOutput> LiveOutput::begin(const std::string& path) {
  CV_TRY(const int file, open_regular(path));
  LiveOutput output(file, path);
  if (::lseek(file, 0, SEEK_END) != 0)
    return fail(ErrorKind::usage, "output.csv",
                "'" + path + "' is there already and not of this release; move it away or name another file");
  CV_CHECK(synchronise_folder("output.csv", std::filesystem::path(path).parent_path().string()));
  return output;
}

Result<LiveOutput> LiveOutput::resume(const std::string& path, std::int64_t synced, std::string_view unsynced) {
  CV_TRY(const int file, open_regular(path));
  LiveOutput output(file, path);
  const std::int64_t size = ::lseek(file, 0, SEEK_END);
  if (size < synced) return changed(path, "is shorter than what was published");
  CV_TRY(const std::string tail, read_from(file, path, synced, unsynced.size() + 1));
  const auto same = static_cast<std::size_t>(
      std::mismatch(tail.begin(), tail.end(), unsynced.begin(), unsynced.end()).first - tail.begin());
  if (same < tail.size()) {
    // A power failure may leave a file longer than what was written to it, filled with zeros.
    if (tail.find_first_not_of('\0', same) != std::string::npos)
      return changed(path, "differs from what was published");
    if (::ftruncate(file, synced + static_cast<std::int64_t>(same)) != 0) return storage(path, "cannot be cut");
  }
  CV_CHECK(output.append(unsynced.substr(same)));
  // Whole lines: a listener has seen nothing of a line that was cut off.
  if (same < unsynced.size()) {
    const std::size_t line = same == 0 ? 0 : unsynced.rfind('\n', same - 1) + 1;
    output.caught_up_ = {synced + static_cast<std::int64_t>(line), std::string(unsynced.substr(line))};
  }
  CV_CHECK(synchronise_folder("output.csv", std::filesystem::path(path).parent_path().string()));
  return output;
}

Result<LiveOutput> LiveOutput::rehearse(const std::string& path, std::string_view header) {
  // A rehearsal is not private, so it is for its owner alone, also where it replaces an older one.
  CV_TRY(const int file, open_regular(path, 0600));
  LiveOutput output(file, path);
  CV_TRY(const std::string start, read_from(file, path, 0, header.size()));
  if (!start.empty() && start != header)
    return fail(ErrorKind::usage, "output.csv", "'" + path + "' is no rehearsal; it would be overwritten");
  if (::ftruncate(file, 0) != 0) return storage(path, "cannot be emptied");
  if (::fchmod(file, 0600) != 0) return storage(path, "cannot be made private to its owner");
  return output;
}

Result<void> LiveOutput::append(std::string_view lines) {
  std::size_t done = 0;
  while (done < lines.size()) {
    const ssize_t written = ::write(file_, lines.data() + done, lines.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const Failure failure = storage(path_, "could not be written");
      // Readers of the file should find whole rows. Where even this fails, the next start completes them.
      [[maybe_unused]] const int cut = ::ftruncate(file_, ::lseek(file_, 0, SEEK_END) - static_cast<off_t>(done));
      return failure;
    }
    done += static_cast<std::size_t>(written);
  }
  return {};
}

Result<std::string> LiveOutput::beginning(std::size_t most) const { return read_from(file_, path_, 0, most); }

Result<void> LiveOutput::sync() {
  if (::fdatasync(file_) != 0) return storage(path_, "could not be synchronised");
  return {};
}

}  // namespace chronoveil::engine
