#include "chronoveil/mechanisms/series_mechanism.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "chronoveil/base/interrupted.h"
#include "chronoveil/bound/bounded_series.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/draws.h"

namespace chronoveil::mechanisms {

std::int64_t PublicShape::changes() const {
  const std::int64_t sides = relation == Relation::replace ? 2 : 1;
  // At most all cells change, and each by at most c, also in a replacement.
  if (unit == Unit::user) return std::min(sides * std::min(max_steps, series * steps), series * steps);
  return sides * (unit == Unit::w_event ? std::min(width, steps) : 1);
}

std::int64_t PublicShape::touched() const {
  return std::min(series, unit == Unit::user ? changes() : changes() * max_per_slot);
}

double PublicShape::l1() const { return static_cast<double>(changes()) * static_cast<double>(max_per_slot); }

double PublicShape::l2() const {
  const double root = std::sqrt(static_cast<double>(changes())) * static_cast<double>(max_per_slot);
  const double down = std::sqrt(static_cast<double>(changes()));
  // A whole root is exact; any other is rounded, so step outward.
  if (down == std::floor(down) && down * down == static_cast<double>(changes())) return root;
  return root * (1 + 4 * std::numeric_limits<double>::epsilon());
}

std::optional<double> noise_multiplier(const accounting::Event& event) {
  if (event.count != 1) return std::nullopt;
  if (const auto* e = std::get_if<accounting::Gaussian>(&event.kind)) return e->noise_multiplier;
  if (const auto* e = std::get_if<accounting::Laplace>(&event.kind)) return e->noise_multiplier;
  if (const auto* e = std::get_if<accounting::TimeSubsampling>(&event.kind)) return e->noise_multiplier;
  if (const auto* e = std::get_if<accounting::Pure>(&event.kind)) return 1 / e->epsilon;
  return std::nullopt;
}

Result<void> check_noise(const SeriesPlan& plan) {
  const std::optional<double> multiplier = noise_multiplier(plan.event);
  if (multiplier && plan.sensitivity > 0 && plan.scale >= *multiplier * plan.sensitivity) return {};
  return fail(ErrorKind::internal, "measure", "the noise of the plan is less than its event says");
}

namespace {

bool is_within(const bound::Caps& caps, const PublicShape& shape) {
  return caps.unit == shape.unit && caps.max_per_slot <= shape.max_per_slot && caps.maximum <= shape.maximum &&
         (shape.unit != Unit::user || caps.max_steps <= shape.max_steps);
}

}  // namespace

Result<Measurement> measure(const SeriesPlan& plan, const bound::BoundedSeries& series, Draws& draws) {
  CV_TRY(const SeriesMechanism* mechanism, find_series_mechanism(plan.mechanism));
  if (series.series() != plan.shape.series || series.steps() != plan.shape.steps)
    return fail(ErrorKind::internal, "measure", "the bounded series do not have the shape of the plan");
  if (!is_within(series.caps(), plan.shape))
    return fail(ErrorKind::internal, "measure", "the series were not bounded by the caps of the plan");
  CV_CHECK(check_noise(plan));
  if (draws.continues())
    return fail(ErrorKind::internal, "measure", "a run covers steps as they come, not a whole series");
  // The receipt was redeemed for one run of one event; measuring anything else would be uncovered.
  CV_CHECK(check_interrupted());  // while nothing is drawn, the debit can be taken up
  CV_CHECK(draws.start(plan.event));
  Result<Measurement> measurement = mechanism->measure(plan, series.counts(), draws);
  draws.finish();
  return measurement;
}

}  // namespace chronoveil::mechanisms
