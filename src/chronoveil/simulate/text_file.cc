#include "chronoveil/simulate/text_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <utility>

#include "chronoveil/base/system/atomic_file.h"

namespace chronoveil::simulate {

Failure TextFile::failure(int problem) const {
  return fail(ErrorKind::storage, option_,
              (path_ == "-" ? "standard output" : path_) + " could not be written: " + std::strerror(problem));
}

Result<TextFile> TextFile::create(std::string option, std::string path) {
  TextFile file(std::move(option), std::move(path));
  if (file.path_ == "-") {
    file.descriptor_ = STDOUT_FILENO;
    return file;
  }
  if (file.path_.empty()) return invalid(file.option_, "", "a file, or - for standard output");
  struct stat found {};
  const bool exists = ::stat(file.path_.c_str(), &found) == 0;
  if (exists && !S_ISREG(found.st_mode)) {  // a device or a pipe cannot be renamed over
    file.descriptor_ = ::open(file.path_.c_str(), O_WRONLY | O_CLOEXEC);
  } else {
    file.to_rename_ = true;
    const std::string folder = std::filesystem::path(file.path_).parent_path();
    file.descriptor_ = ::open(folder.empty() ? "." : folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (file.descriptor_ < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
      file.temporary_ = file.path_ + ".XXXXXX";
      file.descriptor_ = ::mkostemp(file.temporary_.data(), O_CLOEXEC);
    }
  }
  if (file.descriptor_ < 0) {
    file.temporary_.clear();
    return file.failure(errno);
  }
  return file;
}

TextFile::TextFile(TextFile&& other) noexcept
    : option_(std::move(other.option_)),
      path_(std::move(other.path_)),
      temporary_(std::exchange(other.temporary_, {})),
      to_rename_(other.to_rename_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      problem_(other.problem_),
      buffer_(std::move(other.buffer_)),
      used_(std::exchange(other.used_, 0)) {}

TextFile::~TextFile() {
  if (descriptor_ > STDERR_FILENO) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

char* TextFile::room(std::size_t size) {
  if (kSize - used_ < size) flush();
  return buffer_.data() + used_;
}

void TextFile::append(std::string_view text) {
  while (!text.empty()) {
    if (used_ == kSize) flush();
    const std::size_t size = std::min(text.size(), kSize - used_);
    std::memcpy(buffer_.data() + used_, text.data(), size);
    used_ += size;
    text.remove_prefix(size);
  }
}

void TextFile::flush() {
  if (problem_ == 0) problem_ = write_all(descriptor_, {buffer_.data(), used_});
  used_ = 0;
}

Result<void> TextFile::commit() {
  flush();
  if (problem_ != 0) return failure(problem_);
  if (!to_rename_) return {};
  const mode_t mask = ::umask(0);
  ::umask(mask);
  if (::fchmod(descriptor_, 0666 & ~mask) != 0 || ::fsync(descriptor_) != 0) return failure(errno);
  if (temporary_.empty()) {
    const std::string open_file = "/proc/self/fd/" + std::to_string(descriptor_);
    const std::string name = path_ + "." + std::to_string(::getpid()) + ".new";
    ::unlink(name.c_str());  // perhaps left by an earlier process with this number
    if (::linkat(AT_FDCWD, open_file.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) != 0) return failure(errno);
    temporary_ = name;
  }
  if (::rename(temporary_.c_str(), path_.c_str()) != 0) return failure(errno);
  temporary_.clear();
  return {};
}

}  // namespace chronoveil::simulate
