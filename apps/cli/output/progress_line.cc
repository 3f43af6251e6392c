#include "output/progress_line.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "chronoveil/base/plain_text.h"
#include "messages.h"

namespace chronoveil::cli {

ProgressLine::ProgressLine() : on_(messages_are_json() || ::isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() {
  if (on_ && !messages_are_json()) std::fputs("\r\033[K", stderr);
}

void ProgressLine::tell(std::string_view text, std::optional<double> share) const {
  if (on_ && messages_are_json())
    tell_progress(text, share);
  else if (on_)
    std::fputs(("\r\033[K" + visible(text)).c_str(), stderr);
}

Waiting::Waiting(std::string what) {
  if (!line_.shown()) return;
  clock_.emplace([this, what = std::move(what)](const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    for (int seconds = 1; !stopped_.wait_for(lock, stop, std::chrono::seconds(1), [] { return false; }); ++seconds) {
      if (stop.stop_requested()) return;
      if (seconds > 1) line_.tell(what + " ... " + std::to_string(seconds) + " s");
    }
  });
}

}  // namespace chronoveil::cli
