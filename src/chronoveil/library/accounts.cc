// Events as text, and where the ledger is.
#include <utility>

#include "chronoveil/accounting/events/event_json.h"
#include "chronoveil/chronoveil.h"
#include "chronoveil/engine/release/budget.h"

namespace chronoveil {

Result<Event> parse_event(std::string_view json) { return accounting::parse_event(json); }
Result<Event> parse_open_event(std::string_view json) { return accounting::parse_event(json, true); }
std::string to_text(const Event& event) { return accounting::to_text(event); }

Result<Ledger> open_ledger(const std::string& where, ledger::Options options) {
  CV_TRY(const std::string place, engine::ledger_place(where));
  return Ledger::open(place, std::move(options));
}

}  // namespace chronoveil
