#include "chronoveil/base/system/waiting.h"

#include <atomic>
#include <charconv>
#include <cstdint>
#include <cstdlib>

namespace chronoveil {
namespace {

std::atomic<WaitingNotice> notice{nullptr};

}  // namespace

Result<std::chrono::milliseconds> longest_wait() {
  const char* const given = std::getenv("CHRONOVEIL_WAIT");
  if (given == nullptr) return std::chrono::minutes(1);
  const std::string_view text = given;
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc() || end != text.data() + text.size() || seconds < 1 || seconds > 86400)
    return invalid("CHRONOVEIL_WAIT", text, "a whole number of seconds between 1 and 86400");
  return std::chrono::seconds(seconds);
}

void set_waiting_notice(WaitingNotice told) { notice = told; }

WaitingFor::WaitingFor(std::string what, std::chrono::milliseconds quietly) {
  if (notice == nullptr) return;
  clock_.emplace([this, quietly, what = std::move(what)](const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    stopped_.wait_for(lock, stop, quietly, [] { return false; });
    if (const WaitingNotice told = notice; told != nullptr && !stop.stop_requested()) told(what);
  });
}

}  // namespace chronoveil
