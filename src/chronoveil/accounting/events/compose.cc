#include "chronoveil/accounting/events/compose.h"

#include <algorithm>

#include "chronoveil/accounting/events/neighbours.h"
#include "chronoveil/accounting/grid/loss_model.h"

namespace chronoveil::accounting {

std::optional<Unit> Compose::own_unit() const {
  std::optional<Unit> narrowest;
  for (const Event& part : events)
    if (const auto unit = unit_of(part)) narrowest = narrowest ? std::min(*narrowest, *unit) : *unit;
  return narrowest;
}

// A composition with a swap is one for swaps, whatever its other parts are for.
std::optional<Relation> Compose::own_relation() const {
  std::optional<Relation> common;
  for (const Event& part : events) {
    if (window_of(part)) return Relation::swap;
    const auto relation = relation_of(part);
    if (!relation) continue;
    // A removal and an addition are a replacement; the reverse does not hold.
    common = common && *common != *relation ? Relation::replace : *relation;
  }
  return common;
}

MadeLoss Compose::loss() const { return fail(ErrorKind::internal, "compose has no model of its own"); }

Result<Event> Compose::for_replacement() const {
  Compose result;
  for (const Event& part : events) {
    CV_TRY(Event converted, accounting::for_replacement(part));
    result.events.push_back(std::move(converted));
  }
  return Event{std::move(result)};
}

bool Compose::dominated_by(const Compose& slot) const { return events.size() == slot.events.size(); }

}  // namespace chronoveil::accounting
