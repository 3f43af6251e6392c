#include "signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <iostream>
#include <string_view>

#include "chronoveil/base/plain_text.h"
#include "command.h"

namespace chronoveil::cli {
namespace {

constexpr int kInterrupted = static_cast<int>(ErrorKind::interrupted);

// The handler may only touch lock-free atomics and plain memory. There are two buffers: the next note is completed in
// the unused one, which is then made current, so that there is always a complete note.
constexpr std::size_t kNoteSize = 400;
struct Note {
  char text[kNoteSize];
  std::size_t length;
};
Note notes[2] = {};
std::atomic<const Note*> said{&notes[0]};
static_assert(std::atomic<const Note*>::is_always_lock_free);

void write_stderr(const char* text, std::size_t size) {
  // Nothing can be done about a failed write to stderr while leaving.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, size);
}

void write_end(std::string_view what) {
  constexpr std::string_view start = "chronoveil: ";
  write_stderr(start.data(), start.size());
  write_stderr(what.data(), what.size());
  if (const std::string_view note = said_on_interrupt(); !note.empty()) {
    write_stderr("; ", 2);
    write_stderr(note.data(), note.size());
  }
  write_stderr("\n", 1);
}

void leave(int) {
  write_end("interrupted");
  ::_exit(kInterrupted);
}

// For exceptions that nobody catches, or that a noexcept function throws: the debit is still reported.
[[noreturn]] void terminate() {
  write_end("internal error");
  ::_exit(static_cast<int>(ErrorKind::internal));
}

void occupy_closed_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(stream, F_GETFD) != -1) continue;
    // Read-only also for the outputs: writing must keep failing. The lowest free number is the stream's own.
    ::open("/dev/null", O_RDONLY);
  }
}

}  // namespace

void say_on_interrupt(std::string_view note) {
  // If there is no memory for it, the previous note stays.
  const std::string text = visible(note);
  Note& next = said.load(std::memory_order_relaxed) == &notes[0] ? notes[1] : notes[0];
  std::size_t length = std::min(text.size(), kNoteSize);
  // Does not cut a character in two.
  while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  std::memcpy(next.text, text.data(), length);
  next.length = length;
  said.store(&next, std::memory_order_release);
}

std::string_view said_on_interrupt() {
  const Note* const note = said.load(std::memory_order_acquire);
  return {note->text, note->length};
}

void print_end(const char* what) { write_end(what); }

void install_signals() {
  occupy_closed_streams();
  std::set_terminate(terminate);
  std::signal(SIGPIPE, SIG_IGN);
  // Beyond the limit on the size of a file a write fails with EFBIG, which is reported like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  struct sigaction action {};
  action.sa_handler = leave;
  sigemptyset(&action.sa_mask);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
  ::sigaction(SIGXCPU, &action, nullptr);  // the soft limit on processor time; at the hard limit it is killed
  struct sigaction before {};
  if (::sigaction(SIGHUP, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) {
    ::sigaction(SIGHUP, &action, nullptr);
  }
}

bool flush_output() {
  std::cout.flush();
  const bool flushed = std::fflush(stdout) == 0;
  return flushed && std::cout.good() && std::ferror(stdout) == 0;
}

}  // namespace chronoveil::cli
