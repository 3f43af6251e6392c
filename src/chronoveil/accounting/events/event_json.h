// Events as JSON: {"event": "gaussian", "noise_multiplier": 2, "count": 1000}. Unknown events and fields are errors.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "chronoveil/accounting/events/event.h"

namespace chronoveil::accounting {

// Parsed and validated. With `open_noise`, a noise parameter may be left out (for calibrate).
Result<Event> parse_event(std::string_view json_text, bool open_noise = false);
Result<Event> event_from_json(const nlohmann::json&, bool open_noise = false);

// Canonical: the same event always gives the same text (keys sorted, defaults left out). The ledger stores this.
nlohmann::json event_to_json(const Event&);
std::string to_text(const Event&);

}  // namespace chronoveil::accounting
