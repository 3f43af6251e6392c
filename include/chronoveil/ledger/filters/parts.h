// Partitions: which debits can touch one neighbour, when a debit concerns only a part of the dataset. A partition is
// public and fixed when the dataset is created. What one neighbour costs is the debits of the whole dataset and those
// of the parts it can lie in:
//   add_remove, event or user   one part: the dearest
//   replace, event or user      two parts, the one left and the one entered: the two dearest
//   add_remove, w-event         a window straddles `straddle` neighbouring parts: the dearest such run
//   replace, w-event            two such windows
// No parts touched costs nothing. A run never wraps around.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chronoveil/ledger/filters/filter.h"
#include "chronoveil/ledger/filters/neighbours.h"

namespace chronoveil::ledger {

struct Partition {
  enum class By { list, day };
  By by = By::list;
  std::vector<std::string> names;  // list: every part, in the order that makes neighbours
  std::int64_t straddle = 1;       // neighbouring parts that one window can touch: 1 unless the unit is w-event
  bool widened = false;            // `straddle` is larger than an early version wrote down
};

// The parts in a row that a window can touch if nothing is known of their length: as many as it has events, since an
// event lies in one part; 1 unless the unit is w-event. With a smaller `straddle` the caller declares that parts are
// longer.
std::int64_t safe_straddle(const Protected&);

// A partition that fits what the dataset protects. Days need a unit that lies in one day, so `user` is refused; for a
// list of parts and the unit `user` it is the caller who declares that a user lies in one part.
Result<Partition> make_partition(Partition, const Protected&);

// The place of a part among its neighbours: its index in the list, or the number of its day ("2026-03-01").
Result<std::int64_t> place_of(const Partition&, std::string_view part);

// The rule in words, for people and for the guarantee.
std::string rule_of(const Partition&, const Protected&);

// The costs of the parts, by their place.
using PartCosts = std::map<std::int64_t, Cost>;

// What one neighbour can be charged for parts, coordinate by coordinate.
Cost dearest(const PartCosts&, const Partition&, const Protected&, const Cost& nothing);

// The same for each neighbour by itself, or only those in a place, if one is named: calls `look` with one charge after
// another until it returns false. A neighbour who is touched by less than another is left out.
void for_each_neighbour(const PartCosts&, const Partition&, const Protected&, const Cost& nothing,
                        std::optional<std::int64_t> place, const std::function<bool(const Cost&)>& look);

// The places whose debits make up that charge in one coordinate.
std::vector<std::int64_t> dearest_places(const PartCosts&, const Partition&, const Protected&,
                                         std::size_t coordinate = 0);

}  // namespace chronoveil::ledger
