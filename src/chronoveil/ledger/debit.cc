#include "chronoveil/ledger/debit.h"

#include <algorithm>
#include <charconv>

namespace chronoveil::ledger {
namespace {

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

}  // namespace

std::string_view name(State state) {
  switch (state) {
    case State::reserved: return "reserved";
    case State::drawing: return "drawing";
    case State::released: return "released";
    case State::abandoned: return "abandoned";
  }
  return "reserved";
}

Result<State> parse_state(std::string_view text) {
  for (const State state : {State::reserved, State::released, State::abandoned}) {
    if (name(state) == text) return state;
  }
  return invalid("state", text, "one of reserved, released, abandoned");
}

std::string DebitId::text() const {
  return dataset + ":" + std::to_string(sequence) + (slot ? "/" + std::to_string(*slot) : "");
}

Result<DebitId> DebitId::parse(std::string_view text) {
  const auto colon = text.rfind(':');
  const auto slash = text.rfind('/');
  const bool has_slot = colon != std::string_view::npos && slash != std::string_view::npos && slash > colon;
  if (colon != std::string_view::npos) {
    const auto sequence = whole_number(text.substr(colon + 1, has_slot ? slash - colon - 1 : std::string_view::npos));
    const auto slot = has_slot ? whole_number(text.substr(slash + 1)) : std::nullopt;
    if (sequence && has_slot == slot.has_value()) return DebitId{std::string(text.substr(0, colon)), *sequence, slot};
  }
  return invalid("id", text, "a debit such as city:17, or one of its slots such as city:17/3");
}

std::optional<Debit> slot_as_debit(const Debit& debit, std::int64_t slot) {
  if (slot < 0 || slot >= static_cast<std::int64_t>(debit.slots.size())) return std::nullopt;
  const Slot& used = debit.slots[static_cast<std::size_t>(slot)];
  if (!used.state || !used.used) return std::nullopt;
  Debit one = debit;
  one.id.slot = slot;
  one.chain_head = used.chain_head;
  one.terms.job = used.job;
  one.terms.mechanism = used.mechanism;
  one.event = *used.used;
  one.terms.stated = told_to(one.event, one.terms.stated);
  one.slots.clear();
  one.programme.clear();
  one.state = *used.state;
  one.digest = used.digest;
  one.uses = used.uses;
  one.used = used.uses_up;
  one.token = used.token;
  one.says_drawing = !used.job.empty() && !used.uses;
  return one;
}

bool may_still_publish(const Debit& debit) {
  const auto open = [](State state) { return state == State::reserved || state == State::drawing; };
  if (debit.slots.empty()) return open(debit.state);
  return std::any_of(debit.slots.begin(), debit.slots.end(),
                     [&](const Slot& slot) { return open(slot.state.value_or(debit.state)); });
}

}  // namespace chronoveil::ledger
