#include "chronoveil/accounting/events/sampled/poisson_sampled.h"

#include "chronoveil/accounting/events/event.h"
#include "chronoveil/accounting/events/neighbours.h"
#include "chronoveil/accounting/events/sampled/sampled.h"
#include "chronoveil/accounting/moments.h"

namespace chronoveil::accounting {

Result<void> PoissonSampled::check(bool) const { return check_inner(inner, relation, relation); }

MadeLoss PoissonSampled::loss() const { return sampled_model(*inner, rate, directions_for(relation)); }

// If a unit is in the sample, the one in its place may be, or may be missing: the inner event is then for a
// replacement, or for a missing unit, which the doubled inner event covers (sampled.h).
Result<Event> PoissonSampled::for_replacement() const {
  if (relation != Relation::add_remove) return not_convertible(kName);
  CV_TRY(Event twice, accounting::for_replacement(*inner));
  return Event{PoissonSampled{rate, std::make_shared<const Event>(std::move(twice)), Relation::replace}};
}

Result<double> PoissonSampled::pure_epsilon() const { return sampled_pure_epsilon(*inner, rate); }

// A sample reveals no more than all units do.
Result<double> PoissonSampled::gaussian_distance() const { return accounting::gaussian_distance(*inner); }

}  // namespace chronoveil::accounting
