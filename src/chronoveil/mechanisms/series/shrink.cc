#include "chronoveil/mechanisms/series/shrink.h"

#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/mechanisms/sums.h"
#include "chronoveil/post/joint/joint.h"
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

constexpr std::int64_t kMostJointSteps = 100'000;  // of 8 series, about a gibibyte

bool is_joint(const SeriesPlan& plan) {
  return plan.shape.series > 1 && plan.shape.steps >= post::kFewestJointSteps && plan.shape.steps <= kMostJointSteps &&
         std::get<bool>(plan.parameters.at("joint")) && !std::get<bool>(plan.parameters.at("trend"));
}

Result<Summed> reconstruct_summed(const SeriesPlan& plan, const Measurement& measurement, const SumsAsked& asked) {
  if (static_cast<std::int64_t>(measurement.values.size()) != plan.shape.series * plan.shape.steps)
    return fail(ErrorKind::internal, "shrink", "the measurement does not have the shape of the plan");
  const double half_width = noise_half_width(plan.noise, plan.scale, plan.level);
  const std::int64_t season = integer(plan.parameters, "season");
  Summed all{.estimate = {}, .summands = noisy_summands(plan, measurement.values)};
  if (!is_joint(plan)) {
    all.estimate = post::shrink(measurement.values, {.steps = plan.shape.steps,
                                                     .noise_deviation = plan.scale,
                                                     .half_width = half_width,
                                                     .season = season,
                                                     .trend = std::get<bool>(plan.parameters.at("trend"))});
    return all;
  }
  post::JointEstimate joint = post::shrink_jointly(measurement.values, {.steps = plan.shape.steps,
                                                                        .noise_deviation = plan.scale,
                                                                        .half_width = half_width,
                                                                        .season = season,
                                                                        .season_starts = asked.season_starts,
                                                                        .groups = asked.groups});
  const auto half_widths = [](const Estimate& sums) {
    std::vector<double> halves;
    for (std::size_t t = 0; t < sums.value.size(); ++t) halves.push_back(sums.upper[t] - sums.value[t]);
    return halves;
  };
  all.summands.of_all = half_widths(joint.total);
  for (const Estimate& sums : joint.groups) all.summands.of_groups.push_back(half_widths(sums));
  all.summands.cells.value = joint.cells.value;
  all.estimate = std::move(joint.cells);
  return all;
}

Result<Estimate> reconstruct_smooth(const SeriesPlan& plan, const Measurement& measurement) {
  CV_TRY(Summed all, reconstruct_summed(plan, measurement, {}));
  return std::move(all.estimate);
}

}  // namespace

const SeriesMechanism& shrink() {
  static const SeriesMechanism row{
      .name = "shrink",
      .summary = "Gaussian noise on every step, then denoised knowing its scale",
      .units = {Unit::user, Unit::event, Unit::w_event},
      .needs_delta = true,
      .has_published = true,
      .measured = Measured::counts_by_series,
      .parameters = {{"season", "steps after which a series roughly repeats (24 for hourly counts of days), or 0",
                      std::int64_t{0}},
                     {"trend", "publish the trend below the series' own roughness, not the series", false},
                     {"joint", "learn from all series at once, where there are several; has no effect with trend",
                      true}},
      .prepare = plan_of,
      .measure = measure_every_step,
      .reconstruct = reconstruct_smooth,
      .reconstruct_summed = reconstruct_summed,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
