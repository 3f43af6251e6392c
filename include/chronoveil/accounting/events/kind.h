// What an event is made of. Each kind is one header and one source; event.h has the list of them. A kind must have
//   kName                its name in JSON and on the command line
//   fields()             fields.h
//   loss()               the privacy loss of one use (grid/loss_model.h)
//   for_replacement()    the event priced for one unit added or removed, seen by a replacement (neighbours.h)
//   dominated_by(slot)   whether what it reveals could be computed from what `slot` of the same kind reveals, by all of
//                        its own fields; the caller compares inner events (ledger/filters)
// and may have, where the default after the colon is not right:
//   check(open)          what fields() cannot say: nothing more
//   window               a member: it moves values in time, its relation is swap and its unit the event
//   own_relation()       the relation it is priced for: that of the caller's sensitivity
//   own_unit()           the same for the unit
//   inner                a member: what is done with a sample; with share(), the chance that a unit is in it
//   chance_of_use(n)     the chance that what is protected is used at all in n uses: 1, or by share()
//   kSamplesUnits        true if it may not be inside a sample: false
//   kScalesWithDraws     true if a unit drawn several times costs what drawn_again() says: false
//   pure()               the ε of an event that is purely ε-DP: none
//   gaussian_distance()  a bound on the L2 distance, in standard deviations, of the means of two outputs: none
//   renyi(α)             D_α in closed form, without set_aside(): from the loss on a grid
//   renyi_at_most(α)     another bound on it: none
//   zcdp(n)              ρ of n uses: from pure(), or from gaussian_distance()
// A default is never the cheaper one: what is not known is refused, or priced from the loss.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "chronoveil/accounting/events/fields.h"
#include "chronoveil/base/guarantee.h"
#include "chronoveil/base/result.h"

namespace chronoveil::accounting {

struct Event;
struct ZcdpCost;
class LossModel;
using MadeLoss = Result<std::unique_ptr<const LossModel>>;

// ε as stated: a number, or a whole number over a number. `value` is the nearest double.
struct PureEpsilon {
  double value = 0;
  std::int64_t numerator = 0;
  double denominator = 0;  // 0 if it is no quotient
};

// The refusal of for_replacement().
Failure not_convertible(std::string_view event);

// Equal except for a noise multiplier, which may be larger: more noise is the slot's noise plus some more.
template <class E>
bool only_noisier(E event, const E& slot) {
  if (!(event.noise_multiplier >= slot.noise_multiplier)) return false;
  event.noise_multiplier = slot.noise_multiplier;
  return event == slot;
}

}  // namespace chronoveil::accounting
