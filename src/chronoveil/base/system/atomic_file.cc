#include "chronoveil/base/system/atomic_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "chronoveil/base/system/signals_held.h"

namespace chronoveil {
namespace {

Failure storage_error(const std::string& path, std::string_view what, int code) {
  return fail(ErrorKind::storage, "'" + path + "' " + std::string(what) + ": " + std::generic_category().message(code));
}

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int number() const { return number_; }

 private:
  int number_;
};

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// The temporary name beside the target: hidden, so that a glob over the outputs does not see it, and always the same,
// so that what a kill left is found and removed.
std::string name_beside(const std::string& path) {
  const std::filesystem::path target(path);
  return (target.parent_path() / ("." + target.filename().string() + ".chronoveil-tmp")).string();
}

constexpr int kTries = 1000;           // for a name that others take, too
constexpr useconds_t kPause = 10'000;  // microseconds before the next try, if another process holds it

// Removes what a kill left at this name; false if that is hopeless. A process locks its file there for as long as it
// needs the name, and the kernel drops the lock with the process. So a file that can be locked, and then still has the
// name, is nobody's.
bool free_name(const std::string& name) {
  // A pipe there is a leftover, too: do not wait for its writer.
  const Descriptor left(::open(name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW));
  if (left.number() < 0) return errno == ENOENT;
  if (::flock(left.number(), LOCK_EX | LOCK_NB) != 0) {
    ::usleep(kPause);
    return errno == EWOULDBLOCK;
  }
  struct stat held {
  }, named{};
  if (::fstat(left.number(), &held) != 0 || ::lstat(name.c_str(), &named) != 0) return errno == ENOENT;
  if (held.st_dev != named.st_dev || held.st_ino != named.st_ino) return true;  // another process took the name since
  return ::unlink(name.c_str()) == 0 || errno == ENOENT;
}

// A file on the disk that has no name yet, or a temporary one where there are no files without names.
struct Unnamed {
  Descriptor file;
  std::string temporary;  // empty without a name
};

Result<Unnamed> make_named(const std::string& path, int mode) {
  Unnamed made;
  const std::string name = name_beside(path);
  for (int i = 0; i < kTries; ++i) {
    made.file = Descriptor(::open(name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode));
    if (made.file.number() < 0 && errno != EEXIST) break;
    if (made.file.number() >= 0 && ::flock(made.file.number(), LOCK_EX) == 0) {
      // Between the two, another process may have taken the file for a leftover.
      struct stat held {};
      if (::fstat(made.file.number(), &held) == 0 && held.st_nlink > 0) {
        made.temporary = name;
        return made;
      }
    }
    if (!free_name(name)) break;
  }
  return storage_error(path, "cannot be written", errno);
}

// Whether a file without a name can be given one, by way of /proc.
bool can_be_named(int file) { return ::access(("/proc/self/fd/" + std::to_string(file)).c_str(), F_OK) == 0; }

Result<Unnamed> make_unnamed(const std::string& path, int mode) {
  Unnamed made;
  made.file = Descriptor(::open(folder_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
  if (made.file.number() >= 0 && can_be_named(made.file.number())) return made;
  if (made.file.number() < 0 && errno != EOPNOTSUPP && errno != EISDIR)
    return storage_error(path, "cannot be written", errno);
  return make_named(path, mode);
}

Result<void> write_text(int file, const std::string& path, std::string_view text) {
  if (const int problem = write_all(file, text)) return storage_error(path, "could not be written", problem);
  return {};
}

bool is_database(const std::string& path) {
  constexpr std::string_view kStart("SQLite format 3\0", 16);
  std::array<char, kStart.size()> start{};
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  return file.number() >= 0 && ::read(file.number(), start.data(), start.size()) == std::ssize(start) &&
         std::string_view(start.data(), start.size()) == kStart;
}

enum class Place { file, in_place };

// Where a path really leads: the end of its symbolic links, and whether a file may be put there.
struct Target {
  std::string path;
  Place place = Place::file;
};

Result<Target> target_of(const std::string& path) {
  Target target{path, Place::file};
  if (path.empty()) return fail(ErrorKind::usage, "'' is not the name of a file");
  if (path == "-") return Target{path, Place::in_place};
  std::error_code error;
  if (std::filesystem::is_symlink(path, error)) {
    const std::filesystem::path end = std::filesystem::weakly_canonical(path, error);
    if (!error) target.path = end.string();
  }
  struct stat found {};
  if (::stat(target.path.c_str(), &found) != 0) {
    // The link itself would be replaced, and its target never written.
    if (errno == ENOENT && std::filesystem::is_symlink(path, error))
      return fail(ErrorKind::usage, "'" + path + "' is a symbolic link to a file that is not there");
    if (errno == ENOENT) return target;
    return storage_error(path, "cannot be written", errno);
  }
  if (S_ISDIR(found.st_mode)) return storage_error(path, "cannot be written", EISDIR);
  if (!S_ISREG(found.st_mode)) target.place = Place::in_place;
  if (target.place == Place::file && is_database(target.path))
    return fail(ErrorKind::storage, "'" + path + "' cannot be written: it is a SQLite database, perhaps a ledger");
  return target;
}

struct Pending {
  const OutputFile* file = nullptr;
  Target target;
  Unnamed made;
};

void discard(const std::vector<Pending>& all) {
  for (const Pending& one : all)
    if (!one.made.temporary.empty()) ::unlink(one.made.temporary.c_str());
}

Result<void> fill(const Pending& one) {
  const int number = one.made.file.number();
  CV_CHECK(write_text(number, one.file->path, one.file->text));
  if (::fsync(number) != 0) return storage_error(one.file->path, "could not be written", errno);
  return {};
}

// Gives a finished file without a name this one; the number of the error, or 0.
int link_unnamed(const Pending& one, const std::string& name) {
  const std::string itself = "/proc/self/fd/" + std::to_string(one.made.file.number());
  return ::linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
}

// A temporary name for a finished file, so that it can replace another.
Result<void> give_temporary_name(Pending& one) {
  const std::string& path = one.target.path;
  const std::string name = name_beside(path);
  if (::flock(one.made.file.number(), LOCK_EX) != 0) return storage_error(path, "could not be written", errno);
  int problem = 0;
  for (int i = 0; i < kTries; ++i) {
    problem = link_unnamed(one, name);
    if (problem == 0) {
      one.made.temporary = name;
      return {};
    }
    if (problem != EEXIST || !free_name(name)) break;
  }
  return storage_error(path, "could not be written", problem);
}

// Renames without replacing; the number of the error, or 0.
int rename_new(const std::string& from, const std::string& to) {
  if (::link(from.c_str(), to.c_str()) == 0) return ::unlink(from.c_str()) == 0 ? 0 : errno;
  if (errno == EEXIST) return EEXIST;
  // For file systems without hard links, if the kernel supports it.
  return ::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0 ? 0 : errno;
}

// Gives the finished file its name. A file without a name can take a free name but cannot replace a file: then it goes
// by a temporary name.
Result<void> give_name(Pending& one) {
  const std::string& path = one.target.path;
  const auto there_already = [&] {
    return fail(ErrorKind::storage, "'" + path + "' is there already, and is not replaced");
  };
  if (one.made.temporary.empty()) {
    const int problem = link_unnamed(one, path);
    if (problem == 0) return {};
    if (problem == EEXIST && !one.file->replaces) return there_already();
    if (problem == EEXIST) {
      CV_CHECK(give_temporary_name(one));
    } else {
      // If a file without a name is not possible, a named one may be.
      CV_TRY(one.made, make_named(path, one.file->mode));
      CV_CHECK(fill(one));
    }
  }
  int problem = 0;
  if (!one.file->replaces)
    problem = rename_new(one.made.temporary, path);
  else if (::rename(one.made.temporary.c_str(), path.c_str()) != 0)
    problem = errno;
  if (problem == EEXIST && !one.file->replaces) return there_already();
  if (problem != 0) return storage_error(path, "could not be written", problem);
  one.made.temporary.clear();
  return {};
}

Result<void> synchronise_folder(const std::string& path) {
  const Descriptor folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() < 0 || ::fsync(folder.number()) != 0) return storage_error(path, "could not be written", errno);
  return {};
}

Result<void> write_regular(std::vector<Pending>& pending, const std::vector<const OutputFile*>& files) {
  pending.reserve(files.size());
  for (const OutputFile* file : files) {
    CV_TRY(Target target, target_of(file->path));
    CV_TRY(Unnamed made, make_unnamed(target.path, file->mode));
    pending.push_back({file, std::move(target), std::move(made)});
    CV_CHECK(fill(pending.back()));
  }
  for (Pending& one : pending) {
    CV_CHECK(give_name(one));
    // Each name is durable before the next is given, so that the order holds through a power failure, too.
    CV_CHECK(synchronise_folder(one.target.path));
  }
  return {};
}

Result<void> write_in_place(const OutputFile& file) {
  if (file.path == "-") return write_text(STDOUT_FILENO, "-", file.text);
  const Descriptor open(::open(file.path.c_str(), O_WRONLY | O_CLOEXEC));
  if (open.number() < 0) return storage_error(file.path, "cannot be written", errno);
  return write_text(open.number(), file.path, file.text);
}

Result<void> try_writing(const std::string& path) {
  CV_TRY(const Target target, target_of(path));
  if (target.place == Place::in_place) {
    if (path != "-" && ::access(path.c_str(), W_OK) != 0) return storage_error(path, "cannot be written", errno);
    return {};
  }
  const SignalsHeld held;
  CV_TRY(const Unnamed made, make_unnamed(target.path, 0600));
  if (!made.temporary.empty()) ::unlink(made.temporary.c_str());
  return {};
}

}  // namespace

Result<void> check_writable(std::string_view what, const std::string& path) {
  Result<void> done = try_writing(path);
  if (!done) done.error().parameter = what;
  return done;
}

Result<void> write_files(const std::vector<OutputFile>& files) {
  std::vector<const OutputFile*> regular, in_place;
  for (const OutputFile& file : files) {
    CV_TRY(const Target target, target_of(file.path));
    (target.place == Place::file ? regular : in_place).push_back(&file);
  }
  {
    const SignalsHeld held;
    std::vector<Pending> pending;
    Result<void> done = write_regular(pending, regular);
    if (!done) {
      discard(pending);
      return done;
    }
  }
  for (const OutputFile* file : in_place) CV_CHECK(write_in_place(*file));
  return {};
}

Result<void> synchronise_folder(std::string_view what, const std::string& folder) {
  const Descriptor opened(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.number() >= 0 && ::fsync(opened.number()) == 0) return {};
  return fail(ErrorKind::storage, std::string(what),
              "the folder '" + folder + "' cannot be synchronised: " + std::generic_category().message(errno));
}

}  // namespace chronoveil
