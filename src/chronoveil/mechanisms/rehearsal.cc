#include "chronoveil/mechanisms/rehearsal.h"

#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/draws.h"

namespace chronoveil::mechanisms {

Result<Estimate> rehearse(const SeriesPlan& plan, std::span<const std::int64_t> public_counts, std::uint64_t seed) {
  CV_TRY(const SeriesMechanism* mechanism, find_series_mechanism(plan.mechanism));
  if (static_cast<std::int64_t>(public_counts.size()) != plan.shape.series * plan.shape.steps)
    return fail(ErrorKind::internal, "rehearse", "the public counts do not have the shape of the plan");
  Draws draws = Draws::seeded(seed);
  CV_TRY(const Measurement measurement, mechanism->measure(plan, public_counts, draws));
  return mechanism->reconstruct(plan, measurement);
}

}  // namespace chronoveil::mechanisms
