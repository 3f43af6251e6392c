// Feeds arbitrary bytes to the reader of events. Whatever comes in: no crash, errors are usage errors of one line,
// and an event that is accepted is valid, can be written, and reads back as the same canonical text.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "chronoveil/accounting/events/event_json.h"

namespace {

using namespace chronoveil;

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "fuzz_event: %s\n", what);
  std::abort();
}

void check(std::string_view text, bool open_noise) {
  const Result<accounting::Event> event = accounting::parse_event(text, open_noise);
  if (!event) {
    require(event.error().kind == ErrorKind::usage, "a refused event is not a usage error");
    require(!event.error().text().empty(), "an error says nothing");
    require(event.error().text().find('\n') == std::string::npos, "an error has more than one line");
    return;
  }
  require(accounting::validate(*event, open_noise).has_value(), "an accepted event is not valid");
  if (accounting::has_open_noise(*event)) return;  // only what has happened is written down
  const std::string canonical = accounting::to_text(*event);
  const Result<accounting::Event> again = accounting::parse_event(canonical, open_noise);
  require(again.has_value(), "canonical text is refused");
  require(accounting::to_text(*again) == canonical, "canonical text changes when read back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(text, false);
  check(text, true);
  return 0;
}
