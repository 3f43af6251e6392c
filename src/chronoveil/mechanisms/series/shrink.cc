#include "chronoveil/mechanisms/series/shrink.h"

#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/post/shrink/shrink.h"

namespace chronoveil::mechanisms {
namespace {

Result<SeriesPlan> plan_of(const Request& request) {
  CV_CHECK(check_request(request, shrink()));
  CV_TRY(Parameters parameters, resolved(request, shrink()));
  CV_CHECK(check_season(parameters, request.shape.steps));
  return calibrated(request, shrink(), std::move(parameters), NoiseKind::gaussian,
                    {accounting::Gaussian{accounting::kToCalibrate}}, [&](double) { return request.shape.l2(); });
}

Result<Estimate> reconstruct_smooth(const SeriesPlan& plan, const Measurement& measurement) {
  if (static_cast<std::int64_t>(measurement.values.size()) != plan.shape.series * plan.shape.steps)
    return fail(ErrorKind::internal, "shrink", "the measurement does not have the shape of the plan");
  return post::shrink(measurement.values, {.steps = plan.shape.steps,
                                           .noise_deviation = plan.scale,
                                           .half_width = noise_half_width(plan.noise, plan.scale, plan.level),
                                           .season = integer(plan.parameters, "season"),
                                           .trend = std::get<bool>(plan.parameters.at("trend"))});
}

}  // namespace

const SeriesMechanism& shrink() {
  static const SeriesMechanism row{
      .name = "shrink",
      .summary = "Gaussian noise on every step, then denoised knowing its scale",
      .units = {Unit::user, Unit::event, Unit::w_event},
      .needs_delta = true,
      .has_published = true,
      .parameters = {{"season", "steps after which a series roughly repeats (24 for hourly counts of days), or 0",
                      std::int64_t{0}},
                     {"trend", "publish the trend below the series' own roughness, not the series", false}},
      .prepare = plan_of,
      .measure = measure_every_step,
      .reconstruct = reconstruct_smooth,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
