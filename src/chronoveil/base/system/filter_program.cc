#include "chronoveil/base/system/filter_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "chronoveil/base/system/atomic_file.h"

namespace chronoveil {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }
  int number() const { return number_; }
  void close() {
    if (number_ >= 0) ::close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

// How the child is started: with these descriptors, and with the signals that a program expects.
struct Start {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;

  Start(int input, int output) {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;
  ~Start() {
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
  }
};

// Everything up to the end; 0, or the number of the error.
int read_all(int descriptor, std::string& text) {
  std::array<char, 1 << 16> part;
  for (;;) {
    const ssize_t got = ::read(descriptor, part.data(), part.size());
    if (got == 0) return 0;
    if (got > 0)
      text.append(part.data(), static_cast<std::size_t>(got));
    else if (errno != EINTR)
      return errno;
  }
}

}  // namespace

Result<std::string> filtered(const std::vector<std::string>& command, std::string_view text) {
  const auto failed = [&](const std::string& why) {
    return fail(ErrorKind::storage, "cannot run " + command.front() + ": " + why);
  };
  const Descriptor input(memfd_create("chronoveil", MFD_CLOEXEC));
  if (input.number() < 0) return failed(std::strerror(errno));
  if (const int error = write_all(input.number(), text)) return failed(std::strerror(error));
  if (lseek(input.number(), 0, SEEK_SET) != 0) return failed(std::strerror(errno));
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return failed(std::strerror(errno));
  const Descriptor output(ends[0]);
  Descriptor theirs(ends[1]);

  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t child = 0;
  {
    const Start start(input.number(), theirs.number());
    if (const int error =
            posix_spawnp(&child, arguments.front(), &start.files, &start.attributes, arguments.data(), environ))
      return failed(std::strerror(error));
  }
  theirs.close();
  std::string result;
  const int error = read_all(output.number(), result);
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR) {
  }
  if (error != 0) return failed(std::strerror(error));
  if (ended != child) return failed("nobody knows how it ended");
  if (!WIFEXITED(status)) return failed("signal " + std::to_string(WTERMSIG(status)) + " ended it");
  if (WEXITSTATUS(status) != 0) return failed("it ended with exit code " + std::to_string(WEXITSTATUS(status)));
  return result;
}

}  // namespace chronoveil
