#include "chronoveil/accounting/events/neighbours.h"

#include <string>

namespace chronoveil::accounting {
namespace {

// The first simple event, in order, that moves values within exactly `window`.
const Event* mover_within(const Event& event, std::int64_t window) {
  const auto* compose = std::get_if<Compose>(&event.kind);
  if (!compose) return window_of(event) == window ? &event : nullptr;
  for (const Event& part : compose->events)
    if (const Event* found = mover_within(part, window)) return found;
  return nullptr;
}

Result<Event> swapped(const Event& event, const Event& mover, std::int64_t window) {
  if (const auto* compose = std::get_if<Compose>(&event.kind)) {
    Compose result;
    for (const Event& part : compose->events) {
      CV_TRY(Event seen, swapped(part, mover, window));
      result.events.push_back(std::move(seen));
    }
    return Event{std::move(result), event.count};
  }
  const auto relation = relation_of(event);
  if (!relation || *relation == Relation::swap) return event;
  const auto* structured = std::get_if<StructuredSubsampling>(&event.kind);
  Result<Event> seen =
      for_swap(event, {*relation, unit_of(event).value_or(Unit::event), structured ? structured->width : 1}, window);
  if (seen && validate(*seen)) return seen;
  return fail(ErrorKind::cannot_certify, "events",
              std::string(name(mover)) + " is for a swap of two values less than " + std::to_string(window) +
                  " steps apart; this " + std::string(name(event)) + " is for the relation '" +
                  std::string(chronoveil::name(*relation)) + "' and cannot be priced for that; price them separately");
}

// The first simple event, in order, that says it is for this relation.
const Event* first_for(const Event& event, Relation relation) {
  const auto* compose = std::get_if<Compose>(&event.kind);
  if (!compose) return relation_of(event) == relation ? &event : nullptr;
  for (const Event& part : compose->events)
    if (const Event* found = first_for(part, relation)) return found;
  return nullptr;
}

// Converts events for a unit added or removed to a replacement; `other` is the event that is for a replacement.
Result<Event> replaced(const Event& event, const Event& other) {
  if (const auto* compose = std::get_if<Compose>(&event.kind)) {
    Compose result;
    for (const Event& part : compose->events) {
      CV_TRY(Event seen, replaced(part, other));
      result.events.push_back(std::move(seen));
    }
    return Event{std::move(result), event.count};
  }
  if (relation_of(event) != Relation::add_remove) return event;
  Result<Event> seen = for_replacement(event);
  if (seen && validate(*seen)) return seen;
  return fail(ErrorKind::cannot_certify, "events",
              std::string(name(other)) + " is for a unit replaced; this " + std::string(name(event)) +
                  " is for one added or removed and cannot be priced for that; price them separately");
}

}  // namespace

Failure not_convertible(std::string_view event) {
  return fail(ErrorKind::usage, "relation",
              "this '" + std::string(event) +
                  "' event cannot be converted to the dataset's relation; price it for that instead");
}

Result<Event> for_replacement(const Event& event) {
  CV_TRY(Event converted, std::visit([](const auto& e) { return e.for_replacement(); }, event.kind));
  converted.count = event.count;
  return converted;
}

Result<Event> for_swap(const Event& event, const Neighbours& own, std::int64_t window) {
  Event converted = event;
  if (own.relation == Relation::add_remove) {
    CV_TRY(converted, for_replacement(event));
  }
  // A swap changes two steps; w steps of a user are any of them.
  const bool both = !std::holds_alternative<StructuredSubsampling>(event.kind) || own.width >= 2;
  if ((own.unit == Unit::user && both) || (own.unit == Unit::w_event && own.width >= window)) return converted;
  return for_replacement(converted);
}

Result<Event> in_one_relation(const Event& event) {
  if (const auto window = window_of(event)) return swapped(event, *mover_within(event, *window), *window);
  const Event* const other = first_for(event, Relation::replace);
  return other && first_for(event, Relation::add_remove) ? replaced(event, *other) : event;
}

}  // namespace chronoveil::accounting
