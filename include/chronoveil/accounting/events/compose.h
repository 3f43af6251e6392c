// Several events, each decided before the first output. It protects what every part protects: a part that moves values
// in time makes it hold for swaps, and one of add_remove and replace parts holds for replacements (neighbours.h).
#pragma once

#include <vector>

#include "chronoveil/accounting/events/kind.h"

namespace chronoveil::accounting {

struct Compose {
  static constexpr std::string_view kName = "compose";
  std::vector<Event> events;

  static constexpr auto fields() { return std::tuple(field::required("events", &Compose::events, kAny, "")); }

  std::optional<Unit> own_unit() const;          // the narrowest
  std::optional<Relation> own_relation() const;  // replace if the parts have several
  MadeLoss loss() const;                         // internal: it has no model of its own
  Result<Event> for_replacement() const;
  bool dominated_by(const Compose& slot) const;  // equally many events; the caller compares each
};

}  // namespace chronoveil::accounting
