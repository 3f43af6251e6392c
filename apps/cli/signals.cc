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

// The handler may only touch lock-free atomics and plain memory: the text is completed before its length is published.
constexpr std::size_t kNoteSize = 400;
char note_text[kNoteSize];
std::atomic<std::size_t> note_length{0};
static_assert(std::atomic<std::size_t>::is_always_lock_free);

void write_stderr(const char* text, std::size_t size) {
  // Nothing can be done about a failed write to stderr while leaving.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, size);
}

void write_end(std::string_view what) {
  constexpr std::string_view start = "chronoveil: ";
  write_stderr(start.data(), start.size());
  write_stderr(what.data(), what.size());
  if (const std::size_t length = note_length.load(std::memory_order_acquire)) {
    write_stderr("; ", 2);
    write_stderr(note_text, length);
  }
  write_stderr("\n", 1);
}

void leave(int) {
  write_end("interrupted");
  ::_exit(kInterrupted);
}

// What a thread throws that nobody catches, and what is thrown where nothing may be: the last word is still the debit.
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
  note_length.store(0, std::memory_order_release);
  const std::string text = visible(note);
  std::size_t length = std::min(text.size(), kNoteSize);
  // No character is cut in two.
  while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
  std::memcpy(note_text, text.data(), length);
  note_length.store(length, std::memory_order_release);
}

std::string_view said_on_interrupt() { return {note_text, note_length.load(std::memory_order_acquire)}; }

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
