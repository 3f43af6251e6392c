#include "chronoveil/mechanisms/rehearsal.h"

#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/draws.h"

namespace chronoveil::mechanisms {

namespace {

Result<Measurement> measured(const SeriesPlan& plan, std::span<const std::int64_t> public_counts, std::uint64_t seed) {
  CV_TRY(const SeriesMechanism* mechanism, find_series_mechanism(plan.mechanism));
  if (static_cast<std::int64_t>(public_counts.size()) != plan.shape.series * plan.shape.steps)
    return fail(ErrorKind::internal, "rehearse", "the public counts do not have the shape of the plan");
  Draws draws = Draws::seeded(seed);
  return mechanism->measure(plan, public_counts, draws);
}

}  // namespace

Result<Estimate> rehearse(const SeriesPlan& plan, std::span<const std::int64_t> public_counts, std::uint64_t seed) {
  CV_TRY(const Measurement measurement, measured(plan, public_counts, seed));
  return reconstruct(plan, measurement);
}

Result<Summed> rehearse_summed(const SeriesPlan& plan, std::span<const std::int64_t> public_counts,
                               std::uint64_t seed) {
  CV_TRY(const Measurement measurement, measured(plan, public_counts, seed));
  return reconstruct(plan, measurement, SumsAsked());
}

Result<LiveReplay> rehearse_live(const SeriesPlan& plan, std::span<const std::int64_t> public_counts,
                                 std::uint64_t seed) {
  Draws draws = Draws::seeded(seed);
  CV_TRY(const Measurement measurement, measure_live(plan, public_counts, draws));
  return replay_live(plan, measurement);
}

}  // namespace chronoveil::mechanisms
