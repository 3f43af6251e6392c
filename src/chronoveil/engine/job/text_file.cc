#include "chronoveil/engine/job/text_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <system_error>

#include "chronoveil/base/system/waiting.h"

namespace chronoveil::engine {
namespace {

struct OpenFile {
  explicit OpenFile(int opened) : number(opened) {}
  ~OpenFile() {
    if (number > STDIN_FILENO) ::close(number);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  const int number;
};

bool is_pipe(int file) {
  struct stat status {};
  return ::fstat(file, &status) == 0 && S_ISFIFO(status.st_mode);
}

// Waits until there is something to read, the last writer of a pipe is gone, or the time is up; -1: no limit.
bool becomes_ready(int file, int milliseconds) {
  pollfd one{file, POLLIN, 0};
  return ::poll(&one, 1, milliseconds) > 0;
}

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

template <class Number>
Result<std::vector<Number>> read_words(std::string_view what, const std::string& path, std::string_view valid) {
  CV_TRY(const std::string text, read_text_file(what, path));
  std::vector<Number> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    while (at != end && is_space(*at)) ++at;
    if (at == end) return numbers;
    Number number{};
    const auto parsed = std::from_chars(at, end, number);
    if (parsed.ec != std::errc() || (parsed.ptr != end && !is_space(*parsed.ptr)) ||
        !std::isfinite(static_cast<double>(number)))
      return fail(ErrorKind::usage, std::string(what),
                  "word " + std::to_string(numbers.size() + 1) + " of '" + path + "' is not valid; it must be " +
                      std::string(valid));
    numbers.push_back(number);
    at = parsed.ptr;
  }
}

}  // namespace

Result<std::string> read_text_file(std::string_view what, const std::string& path, TextSize largest) {
  const auto failed = [&](const std::string& why) {
    return fail(ErrorKind::storage, std::string(what), "cannot read '" + path + "': " + why);
  };
  const auto reason = [](int code) { return std::generic_category().message(code); };
  // Not blocking, to tell a pipe without a writer from one whose writer is slow.
  const OpenFile file(path == "-" ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (file.number < 0) return failed(reason(errno));
  WaitingFor waiting("'" + path + "', which nobody has written yet");
  // Until its first writer has come, a pipe reads as if it were at its end.
  bool awaits_writer = file.number != STDIN_FILENO && is_pipe(file.number);
  const auto begun = std::chrono::steady_clock::now();
  CV_TRY(const std::chrono::milliseconds patience, longest_wait());
  std::string text;
  std::vector<char> buffer(1 << 16);
  for (;;) {
    const ssize_t size = ::read(file.number, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) {
      awaits_writer = false;
      becomes_ready(file.number, -1);
      continue;
    }
    if (size < 0) return failed(reason(errno));
    if (size == 0 && awaits_writer) {
      // In slices: only reading shows that a writer has come that says nothing yet.
      if (std::chrono::steady_clock::now() - begun > patience) return failed("it is a pipe that nobody writes to");
      awaits_writer = !becomes_ready(file.number, 100);
      continue;
    }
    if (size == 0) return text;
    waiting.over();
    if (static_cast<std::int64_t>(text.size()) + size > static_cast<std::int64_t>(largest))
      return fail(largest == TextSize::document ? ErrorKind::bad_data : ErrorKind::usage, std::string(what),
                  "'" + path + "' is too long; it must be at most " +
                      std::to_string(static_cast<std::int64_t>(largest) >> 20) + " MiB");
    text.append(buffer.data(), static_cast<std::size_t>(size));
  }
}

bool same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  if (a.empty() || b.empty() || a == "-" || b == "-") return false;
  std::error_code error;
  if (fs::exists(a, error) && fs::exists(b, error)) return fs::is_regular_file(a, error) && fs::equivalent(a, b, error);
  const fs::path one = fs::weakly_canonical(fs::absolute(a, error), error);  // empty if the name is too long to be one
  return !one.empty() && one == fs::weakly_canonical(fs::absolute(b, error), error);
}

Result<std::vector<double>> read_numbers(std::string_view what, const std::string& path) {
  return read_words<double>(what, path, "a finite number");
}

Result<std::vector<std::int64_t>> read_integers(std::string_view what, const std::string& path) {
  return read_words<std::int64_t>(what, path, "a whole number");
}

}  // namespace chronoveil::engine
