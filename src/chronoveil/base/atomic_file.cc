#include "chronoveil/base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <system_error>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/signals_held.h"
#include "chronoveil/base/write_all.h"

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

// A name beside the target that nothing has: hidden, so that a glob over the outputs does not see it.
std::string name_beside(const std::string& path) {
  const std::filesystem::path target(path);
  const std::string name =
      "." + target.filename().string() + "." + std::to_string(BitSource::for_this_thread().next_u64()) + ".tmp";
  return (target.parent_path() / name).string();
}

// A file on the disk that has no name yet, or a temporary one where the file system knows no files without names.
struct Unnamed {
  Descriptor file;
  std::string temporary;  // empty without a name
};

Result<Unnamed> make_unnamed(const std::string& path, int mode) {
  Unnamed made;
  made.file = Descriptor(::open(folder_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode));
  if (made.file.number() >= 0) return made;
  if (errno != EOPNOTSUPP && errno != EISDIR) return storage_error(path, "cannot be written", errno);
  made.temporary = name_beside(path);
  made.file = Descriptor(::open(made.temporary.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, mode));
  if (made.file.number() < 0) return storage_error(path, "cannot be written", errno);
  return made;
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
    // The link itself would be replaced, and what it names never written.
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
  Target target;
  Unnamed made;
};

void discard(const std::vector<Pending>& all) {
  for (const Pending& one : all)
    if (!one.made.temporary.empty()) ::unlink(one.made.temporary.c_str());
}

// Gives the finished file its name. A file without one can take a free name but not replace: then by way of a
// temporary name.
Result<void> give_name(Pending& one) {
  const std::string& path = one.target.path;
  if (one.made.temporary.empty()) {
    const std::string itself = "/proc/self/fd/" + std::to_string(one.made.file.number());
    if (::linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0) return {};
    if (errno != EEXIST) return storage_error(path, "could not be written", errno);
    const std::string beside = name_beside(path);
    if (::linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, beside.c_str(), AT_SYMLINK_FOLLOW) != 0)
      return storage_error(path, "could not be written", errno);
    one.made.temporary = beside;
  }
  if (::rename(one.made.temporary.c_str(), path.c_str()) != 0)
    return storage_error(path, "could not be written", errno);
  one.made.temporary.clear();
  return {};
}

Result<void> synchronise_folder(const std::string& path) {
  const Descriptor folder(::open(folder_of(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.number() < 0 || ::fsync(folder.number()) != 0) return storage_error(path, "could not be written", errno);
  return {};
}

Result<void> write_regular(std::vector<Pending>& pending, const std::vector<const OutputFile*>& files) {
  for (const OutputFile* file : files) {
    CV_TRY(Target target, target_of(file->path));
    CV_TRY(Unnamed made, make_unnamed(target.path, file->mode));
    pending.push_back({std::move(target), std::move(made)});
    const int number = pending.back().made.file.number();
    CV_CHECK(write_text(number, file->path, file->text));
    if (::fsync(number) != 0) return storage_error(file->path, "could not be written", errno);
  }
  for (Pending& one : pending) CV_CHECK(give_name(one));
  for (const Pending& one : pending) CV_CHECK(synchronise_folder(one.target.path));
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
  if (!done) done.error().message = std::string(what) + ": " + done.error().message;
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
  return fail(ErrorKind::storage, std::string(what) + ": the folder '" + folder +
                                      "' cannot be synchronised: " + std::generic_category().message(errno));
}

}  // namespace chronoveil
