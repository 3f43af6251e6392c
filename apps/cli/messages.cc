#include "messages.h"

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>

namespace chronoveil::cli {
namespace {

using nlohmann::ordered_json;

void write(const ordered_json& message) {
  const std::string line = message.dump(-1, ' ', true, ordered_json::error_handler_t::replace) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace

bool messages_are_json() {
  static const bool asked = [] {
    const char* const form = std::getenv("CHRONOVEIL_MESSAGES");
    return form != nullptr && std::string_view(form) == "json";
  }();
  return asked;
}

void tell_error(const Error& error) {
  write({{"error",
          {{"kind", static_cast<int>(error.kind)},
           {"parameter", error.parameter},
           {"value", error.value},
           {"valid", error.valid},
           {"text", error.marked()}}}});
}

void tell_note(std::string_view text) { write({{"note", text}}); }

void tell_progress(std::string_view text, std::optional<double> share) {
  ordered_json message = {{"progress", text}};
  if (share) message["share"] = *share;
  write(message);
}

}  // namespace chronoveil::cli
