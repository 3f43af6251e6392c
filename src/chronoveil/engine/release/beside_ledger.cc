#include "chronoveil/engine/release/beside_ledger.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include "chronoveil/base/system/atomic_file.h"
#include "chronoveil/ledger/stores/store.h"

namespace chronoveil::engine {

namespace fs = std::filesystem;

namespace {
constexpr int kTries = 20;
}

Result<fs::path> folder_beside(const std::string& place, const std::string& kind, const fs::path& leaf) {
  for (const fs::path& name : leaf)
    if (name == "." || name == "..") return invalid("dataset.name", name.string(), "the name of a folder of its own");
  if (place.find("://") == std::string::npos) return fs::path(ledger::real_place(place) + "." + kind) / leaf;
  CV_TRY(const std::string own, ledger::default_ledger_path());
  return fs::path(own).parent_path() / (kind + "-" + ledger::place_digest(place).substr(0, 16)) / leaf;
}

std::error_code make_folders(const fs::path& path) {
  std::error_code error;
  if (path.empty() || fs::is_directory(path, error)) return {};
  if (const std::error_code above = make_folders(path.parent_path()); above) return above;
  if (::mkdir(path.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return {errno, std::generic_category()};
}

Result<void> make_private_folder(const std::string& kind, const fs::path& path) {
  const fs::path dataset = path.parent_path(), all = dataset.parent_path();
  const std::error_code error = make_folders(all.parent_path());
  for (const fs::path& folder : {all, dataset, path}) {
    if (error || (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST))
      return fail(ErrorKind::storage, kind,
                  "the folder '" + folder.string() +
                      "' cannot be made: " + (error ? error.message() : std::string(std::strerror(errno))));
    // The name must last as long as what will be in it.
    CV_CHECK(synchronise_folder(kind, folder.parent_path()));
  }
  return {};
}

Result<FolderLock> FolderLock::take(const std::string& kind, const std::string& folder, const std::string& taken) {
  const std::string path = folder + "/lock";
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return fail(ErrorKind::storage, kind, "'" + path + "' cannot be opened: " + std::strerror(errno));
  FolderLock lock(file);
  // A process that only asks whether the lock is taken holds it for a moment.
  for (int i = 0; i < kTries; ++i) {
    if (::flock(file, LOCK_EX | LOCK_NB) == 0) return lock;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return fail(ErrorKind::usage, kind, taken);
}

FolderLock::FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

FolderLock::~FolderLock() {
  if (file_ >= 0) ::close(file_);
}

}  // namespace chronoveil::engine
