#include "chronoveil/ledger/filters/neighbours.h"

#include <algorithm>
#include <string>

namespace chronoveil::ledger {

using accounting::Event;

namespace {

template <class T>
Failure contradiction(std::string_view parameter, T stated, T own) {
  return invalid(parameter, name(stated), "'" + std::string(name(own)) + "': the event says so itself");
}

std::string described(Unit unit, std::int64_t width) {
  return std::string(name(unit)) + (unit == Unit::w_event ? " of width " + std::to_string(width) : "");
}

struct UnitAndWidth {
  Unit unit;
  std::int64_t width;
};

UnitAndWidth unit_and_width(const Event& leaf, const Stated& stated, const Protected& dataset) {
  const auto* e = std::get_if<accounting::StructuredSubsampling>(&leaf.kind);
  return {accounting::unit_of(leaf).value_or(stated.unit.value_or(dataset.unit)),
          e != nullptr ? e->width : stated.width.value_or(dataset.relation == Relation::swap ? 1 : dataset.width)};
}

Result<void> check_unit(const Event& leaf, const Stated& stated, const Protected& dataset) {
  const auto own = accounting::unit_of(leaf);
  if (own && stated.unit && *own != *stated.unit) return contradiction("unit", *stated.unit, *own);
  const auto [unit, width] = unit_and_width(leaf, stated, dataset);
  // w steps of a user are any w steps, so they cover w events in a row, and no more.
  const bool limited = unit == Unit::w_event || std::holds_alternative<accounting::StructuredSubsampling>(leaf.kind);
  const bool wide_enough = !limited || dataset.unit != Unit::w_event || width >= dataset.width;
  if (covers(unit, dataset.unit) && wide_enough) return {};
  return invalid("unit", unit == Unit::user ? "user with " + std::to_string(width) + " steps" : described(unit, width),
                 "one that covers the dataset's: " + described(dataset.unit, dataset.width) +
                     " (user covers w-event covers event)");
}

// An event that is priced for `relation`, in a dataset that promises swaps.
Result<Event> for_swap(const Event& event, Relation relation, const Stated& stated, const Protected& dataset) {
  if (relation == Relation::swap) {
    const std::int64_t window = accounting::window_of(event).value_or(stated.width.value_or(dataset.width));
    if (window >= dataset.width) return event;
    return invalid("window", std::to_string(window),
                   "at least the dataset's, " + std::to_string(dataset.width) + ": it promises more swaps");
  }
  const auto [unit, width] = unit_and_width(event, stated, dataset);
  return accounting::for_swap(event, {relation, unit, width}, dataset.width);
}

// A simple event that covers the dataset's unit, seen by the dataset's relation.
Result<Event> in_relation(const Event& event, const Stated& stated, const Protected& dataset) {
  const auto own = accounting::relation_of(event);
  if (own && stated.relation && *own != *stated.relation) return contradiction("relation", *stated.relation, *own);
  const Relation relation = own ? *own : stated.relation.value_or(dataset.relation);
  if (dataset.relation == Relation::swap) return for_swap(event, relation, stated, dataset);
  if (relation == dataset.relation) return event;
  if (relation == Relation::add_remove) return for_replacement(event);
  if (relation == Relation::replace && dataset.relation == Relation::replace_values) return event;
  if (relation == Relation::swap)
    return invalid("relation", name(relation),
                   std::string(name(dataset.relation)) + ", the dataset's: hiding when does not hide what");
  if (relation == Relation::replace_values)
    return invalid("relation", name(relation),
                   std::string(name(dataset.relation)) +
                       ", the dataset's: noise that hides values need not hide where and when they were");
  return invalid("relation", name(relation),
                 "add_remove, the dataset's: noise for a replacement need not hide that somebody is there");
}

bool can_be_evicted_from(const Event& leaf, const Stated& stated, const Protected& dataset) {
  const bool moves = dataset.relation == Relation::add_remove || dataset.relation == Relation::replace;
  const auto [unit, width] = unit_and_width(leaf, stated, dataset);
  return moves && !std::holds_alternative<accounting::StructuredSubsampling>(leaf.kind) &&
         is_wider(unit, width, dataset);
}

// Two steps of the wider unit. If one event takes another's place, both steps may be those of different people and
// change one slot the same way: `time_subsampling` then has changes of 2, at most twice as many.
Result<Event> with_eviction(const Event& charged, const Protected& dataset) {
  Result<Event> twice = for_replacement(charged);
  if (twice && dataset.relation == Relation::replace)
    if (auto* e = std::get_if<accounting::TimeSubsampling>(&twice->kind)) e->noise_multiplier /= 2;
  if (twice) return twice;
  return fail(ErrorKind::usage, "unit",
              "a cap can replace one " + described(dataset.unit, dataset.width) +
                  " of a person by another, and this '" + std::string(accounting::name(charged)) +
                  "' event cannot be charged for both; use a dataset that promises the event's own unit, or state that "
                  "nothing can be evicted");
}

}  // namespace

Stated told_to(const Event& event, Stated stated) {
  if (std::holds_alternative<accounting::Compose>(event.kind)) return stated;
  if (accounting::unit_of(event)) {
    stated.unit.reset();
    stated.width.reset();
  }
  if (accounting::relation_of(event)) stated.relation.reset();
  return stated;
}

bool is_wider(Unit unit, std::int64_t width, const Protected& dataset) {
  if (unit != dataset.unit) return covers(unit, dataset.unit);
  return unit == Unit::w_event && width > dataset.width;
}

bool depends_on_eviction(const Event& event, const Stated& stated, const Protected& dataset) {
  if (const auto* compose = std::get_if<accounting::Compose>(&event.kind))
    return std::any_of(compose->events.begin(), compose->events.end(),
                       [&](const Event& part) { return depends_on_eviction(part, told_to(part, stated), dataset); });
  return can_be_evicted_from(event, stated, dataset);
}

Result<Event> fitted(const Event& event, const Stated& stated, const Protected& dataset) {
  if (const auto* compose = std::get_if<accounting::Compose>(&event.kind)) {
    accounting::Compose result;
    for (const Event& part : compose->events) {
      CV_TRY(Event charged, fitted(part, told_to(part, stated), dataset));
      result.events.push_back(std::move(charged));
    }
    return Event{std::move(result), event.count};
  }
  CV_CHECK(check_unit(event, stated, dataset));
  CV_TRY(Event charged, in_relation(event, stated, dataset));
  if (stated.eviction != Eviction::possible || !can_be_evicted_from(event, stated, dataset)) return charged;
  return with_eviction(charged, dataset);
}

}  // namespace chronoveil::ledger
