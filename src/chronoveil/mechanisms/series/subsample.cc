#include "chronoveil/mechanisms/series/subsample.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/accounting/events/chance_of_use.h"
#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/post/resample.h"

namespace chronoveil::mechanisms {
namespace {

Result<SeriesPlan> plan_of(const Request& request) {
  CV_CHECK(check_request(request, subsample()));
  CV_TRY(Parameters parameters, resolved(request, subsample()));
  CV_CHECK(check_resampling(parameters));
  const PublicShape& shape = request.shape;
  const std::int64_t positions = shape.series * shape.steps;
  const double rate = number(parameters, "rate");
  const std::int64_t participation = std::min(shape.changes(), positions);
  const accounting::Event open{accounting::TimeSubsampling{.participation = participation,
                                                           .rate = rate,
                                                           .noise_multiplier = accounting::kToCalibrate,
                                                           .length = positions,
                                                           .filter_width = std::nullopt}};
  CV_CHECK(check_use(open, request.delta));
  CV_TRY(SeriesPlan plan, calibrated(request, subsample(), std::move(parameters), NoiseKind::gaussian, open,
                                     [&](double) { return static_cast<double>(shape.max_per_slot); }));
  plan.measured = std::llround(rate * static_cast<double>(positions));
  return plan;
}

Result<Measurement> measure_counts(const SeriesPlan& plan, std::span<const std::int64_t> counts, Draws& draws) {
  return measure_kept(plan, on_grid(counts, plan.grid), draws);
}

}  // namespace

Result<void> check_resampling(const Parameters& parameters) {
  if (const double rate = number(parameters, "rate"); !(rate > 0 && rate <= 1))
    return invalid("mechanism.rate", rate, "it must be greater than 0 and at most 1");
  if (auto known = post::parse_interpolation(text(parameters, "interpolation")); !known)
    return invalid("mechanism." + known.error().parameter, known.error().value, known.error().valid);
  return {};
}

Result<void> check_use(const accounting::Event& open, double delta) {
  if (!accounting::delta_covers_use(open, delta)) return {};
  return invalid("mechanism.rate", std::get<accounting::TimeSubsampling>(open.kind).rate,
                 "so large that some step of a person is kept with a probability above delta (" + shortest(delta) +
                     "); otherwise delta alone would cover a release without noise");
}

Result<Measurement> measure_kept(const SeriesPlan& plan, std::span<const std::int64_t> indices, Draws& draws) {
  Measurement measurement;
  CV_TRY(measurement.kept, draws.keep(static_cast<std::int64_t>(indices.size()), number(plan.parameters, "rate")));
  std::vector<std::int64_t> kept;
  kept.reserve(measurement.kept->size());
  for (const std::int64_t position : *measurement.kept) kept.push_back(indices[static_cast<std::size_t>(position)]);
  CV_CHECK(draws.add_noise(kept, plan.noise, plan.scale, plan.grid));
  measurement.values = off_grid(kept, plan.grid);
  return measurement;
}

Result<Estimate> reconstruct_kept(const SeriesPlan& plan, const Measurement& measurement) {
  const std::int64_t length = plan.shape.steps, positions = plan.shape.series * length;
  if (!measurement.kept || measurement.kept->size() != measurement.values.size())
    return fail(ErrorKind::internal, plan.mechanism, "the measurement does not say which steps were kept");
  const std::vector<std::int64_t>& kept = *measurement.kept;
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (kept[i] < 0 || kept[i] >= positions || (i > 0 && kept[i] <= kept[i - 1]))
      return fail(ErrorKind::internal, plan.mechanism, "the kept steps do not ascend within the plan's shape");
  CV_TRY(const post::Interpolation interpolation, post::parse_interpolation(text(plan.parameters, "interpolation")));
  const post::Resampling how{.interpolation = interpolation,
                             .noise_deviation = plan.scale,
                             .level = plan.level,
                             .lowest = 0,
                             .highest = static_cast<double>(plan.shape.maximum)};
  Estimate all;
  std::size_t next = 0;
  for (std::int64_t series = 0; series < plan.shape.series; ++series) {
    const std::size_t first = next;
    std::vector<std::int64_t> steps;
    for (; next < kept.size() && kept[next] < (series + 1) * length; ++next)
      steps.push_back(kept[next] - series * length);
    const Estimate one = post::resample(
        {.length = length, .steps = steps, .values = std::span(measurement.values).subspan(first, next - first)}, how);
    all.value.insert(all.value.end(), one.value.begin(), one.value.end());
    all.lower.insert(all.lower.end(), one.lower.begin(), one.lower.end());
    all.upper.insert(all.upper.end(), one.upper.begin(), one.upper.end());
    all.sampled.insert(all.sampled.end(), one.sampled.begin(), one.sampled.end());
  }
  return all;
}

const SeriesMechanism& subsample() {
  static const SeriesMechanism row{
      .name = "subsample",
      .summary = "Gaussian noise on a random part of the steps, interpolated",
      .units = {Unit::user},
      .needs_delta = true,
      .has_published = true,
      .keeps_steps = true,
      .parameters = {{"rate", "the probability that a step is kept", 0.1},
                     {"interpolation", "linear, nearest, pchip or smooth", std::string("linear")}},
      .prepare = plan_of,
      .measure = measure_counts,
      .reconstruct = reconstruct_kept,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
