#include "chronoveil/accounting/events/sampled/sampled_without_replacement.h"

#include <algorithm>

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/events/sampled/sampled.h"
#include "chronoveil/accounting/moments.h"

namespace chronoveil::accounting {

Result<void> SampledWithoutReplacement::check(bool) const {
  CV_CHECK(check_inner(inner, relation, Relation::replace));
  // Without the unit there must still be a whole sample.
  const bool may_be_missing = relation == Relation::add_remove;
  if (batch_size > (may_be_missing ? population - 1 : population))
    return invalid("batch_size", std::to_string(batch_size),
                   may_be_missing ? "less than population: one unit may be missing" : "at most population");
  return {};
}

double SampledWithoutReplacement::share() const {
  constexpr double kUp = 1 + 4e-16;
  return std::min(1.0, static_cast<double>(batch_size) / static_cast<double>(population) * kUp);
}

MadeLoss SampledWithoutReplacement::loss() const { return sampled_model(*inner, share(), directions_for(relation)); }

// The inner event is already for a replacement.
Result<Event> SampledWithoutReplacement::for_replacement() const {
  if (relation != Relation::add_remove) return not_convertible(kName);
  return Event{SampledWithoutReplacement{population, batch_size, inner, Relation::replace}};
}

Result<double> SampledWithoutReplacement::pure_epsilon() const { return sampled_pure_epsilon(*inner, share()); }

// A sample reveals no more than all units do.
Result<double> SampledWithoutReplacement::gaussian_distance() const { return accounting::gaussian_distance(*inner); }

}  // namespace chronoveil::accounting
