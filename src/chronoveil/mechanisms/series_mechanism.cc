#include "chronoveil/mechanisms/series_mechanism.h"

#include <cmath>
#include <limits>

#include "chronoveil/accounting/event_json.h"
#include "chronoveil/bound/bounded_series.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/draws.h"

namespace chronoveil::mechanisms {

std::int64_t PublicShape::changes() const {
  const std::int64_t steps_changed = unit == Unit::user ? max_steps : unit == Unit::w_event ? width : 1;
  return relation == Relation::replace ? 2 * steps_changed : steps_changed;
}

double PublicShape::l1() const { return static_cast<double>(changes()) * static_cast<double>(max_per_slot); }

double PublicShape::l2() const {
  const double root = std::sqrt(static_cast<double>(changes())) * static_cast<double>(max_per_slot);
  const double down = std::sqrt(static_cast<double>(changes()));
  // A whole root is exact; any other is rounded, so step outward.
  if (down == std::floor(down) && down * down == static_cast<double>(changes())) return root;
  return root * (1 + 4 * std::numeric_limits<double>::epsilon());
}

Result<Measurement> measure(const SeriesPlan& plan, const bound::BoundedSeries& series, Draws& draws) {
  CV_TRY(const SeriesMechanism* mechanism, find_series_mechanism(plan.mechanism));
  if (series.series() != plan.shape.series || series.steps() != plan.shape.steps)
    return fail(ErrorKind::internal, "measure: the bounded series do not have the shape of the plan");
  // The receipt was redeemed for one event; measuring anything else would be uncovered.
  if (draws.event() && accounting::to_text(*draws.event()) != accounting::to_text(plan.event))
    return fail(ErrorKind::internal, "measure: the draws are authorised for another event");
  return mechanism->measure(plan, series.counts(), draws);
}

Result<Estimate> reconstruct(const SeriesPlan& plan, const Measurement& measurement) {
  CV_TRY(const SeriesMechanism* mechanism, find_series_mechanism(plan.mechanism));
  return mechanism->reconstruct(plan, measurement);
}

}  // namespace chronoveil::mechanisms
