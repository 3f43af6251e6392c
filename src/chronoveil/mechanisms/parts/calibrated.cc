#include "chronoveil/mechanisms/parts/calibrated.h"

#include <algorithm>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>

#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/mechanisms/parts/budget_check.h"
#include "chronoveil/noise/grid/grid.h"
#include "chronoveil/noise/sampler.h"

namespace chronoveil::mechanisms {
namespace {

constexpr double kSmallestScale = 0x1p-20;
constexpr double kUp = 1 + 4 * std::numeric_limits<double>::epsilon();

// Whole numbers up to here are exact as doubles, and so are sensitivities made of them.
constexpr std::int64_t kExact = std::int64_t{1} << 53;

Result<void> whole(std::string_view name, std::int64_t value) {
  if (value < 1 || value > kExact) return invalid(name, std::to_string(value), "a whole number between 1 and 2^53");
  return {};
}

Result<void> fits(std::string_view what, std::int64_t a, std::int64_t b, std::int64_t limit, std::string_view text) {
  if (a <= limit / b) return {};
  return fail(ErrorKind::usage, std::string(what), "multiplied, they must be at most " + std::string(text));
}

}  // namespace

Result<Parameters> resolved(const Request& request, const SeriesMechanism& mechanism) {
  return resolved(request.parameters, mechanism.name, mechanism.parameters);
}

Result<void> check_request(const Request& request, const SeriesMechanism& mechanism) {
  const PublicShape& shape = request.shape;
  CV_CHECK(check_budget_and_level(request));
  if (shape.relation == Relation::replace_values)
    return invalid("relation", name(shape.relation), "add_remove or replace: a count tells where and when");
  CV_CHECK(whole("steps", shape.steps));
  CV_CHECK(whole("series", shape.series));
  CV_CHECK(whole("max_per_slot", shape.max_per_slot));
  CV_CHECK(whole("maximum", shape.maximum));
  if (shape.unit == Unit::user) CV_CHECK(whole("max_steps", shape.max_steps));
  if (shape.unit == Unit::w_event) CV_CHECK(whole("width", shape.width));
  CV_CHECK(fits("series and steps", shape.series, shape.steps, std::int64_t{1} << 36, "2^36 values"));
  CV_CHECK(fits("max_steps (or width) and max_per_slot", shape.changes(), shape.max_per_slot, kExact, "2^53"));
  if (std::find(mechanism.units.begin(), mechanism.units.end(), shape.unit) == mechanism.units.end()) {
    std::string units;
    for (const Unit unit : mechanism.units) units.append(units.empty() ? "" : ", ").append(name(unit));
    return fail(
        ErrorKind::usage, "unit",
        std::string(mechanism.name) + " does not protect " + std::string(name(shape.unit)) + "; it protects " + units);
  }
  if (mechanism.needs_delta && request.delta == 0)
    return invalid("delta", 0.0, "greater than 0 for " + std::string(mechanism.name));
  return {};
}

Result<void> check_season(const Parameters& parameters, std::int64_t steps) {
  const std::int64_t season = integer(parameters, "season");
  if (season == 0 || (season >= 2 && season <= steps)) return {};
  return invalid("mechanism.season", std::to_string(season),
                 "it must be 0 (none) or between 2 and the number of steps, " + std::to_string(steps));
}

Result<double> grid_for(double scale, double largest) {
  if (!(scale >= kSmallestScale))
    return fail(ErrorKind::usage, "epsilon",
                "the noise would have a scale of " + shortest(scale) +
                    " counts; epsilon must be small enough for a scale of at least 2^-20");
  CV_TRY(const noise::Grid coarsest, noise::Grid::for_counts(scale));
  const int finest_for_noise = std::ilogb(scale) + 1 - 39;  // the sampler goes to 2^40 steps
  const int finest_for_values = std::ilogb(largest) + 1 - 60;
  return std::ldexp(1.0, std::min(coarsest.step_log2(), std::max(finest_for_noise, finest_for_values)));
}

Result<SeriesPlan> calibrated(const Request& request, const SeriesMechanism& mechanism, Parameters parameters,
                              NoiseKind noise, const accounting::Event& open,
                              const std::function<double(double grid)>& sensitivity, std::optional<double> largest) {
  CV_TRY(const Epsilon epsilon, Epsilon::make(request.epsilon));
  CV_TRY(const Delta delta, Delta::make(request.delta));
  const accounting::Analysis analysis =
      mechanism.has_published && noise == NoiseKind::gaussian ? request.analysis : accounting::Analysis::certified;
  CV_TRY(const accounting::Calibration found, accounting::calibrate(open, epsilon, delta, {.analysis = analysis}));
  SeriesPlan plan;
  plan.mechanism = mechanism.name;
  plan.shape = request.shape;
  plan.parameters = std::move(parameters);
  plan.level = request.level;
  plan.noise = noise;
  // Rounding can only raise a sensitivity, so this grid is fine enough for the final scale too.
  CV_TRY(plan.grid,
         grid_for(found.noise * sensitivity(0), largest.value_or(static_cast<double>(request.shape.maximum))));
  plan.sensitivity = sensitivity(plan.grid);
  plan.scale = found.noise * plan.sensitivity * kUp;
  // Known before the debit, not when the noise is drawn.
  if (!(plan.scale <= noise::kLargestScale * plan.grid))
    return fail(ErrorKind::usage, "epsilon",
                "the noise would have a scale of " + shortest(plan.scale) +
                    " counts; epsilon must be large enough for a scale of at most " +
                    shortest(noise::kLargestScale * plan.grid));
  plan.measured = request.shape.series * request.shape.steps;
  plan.delta = request.delta;
  plan.event = found.event;
  plan.price = found.price;
  return plan;
}

Result<SeriesPlan> pure_laplace(const Request& request, const SeriesMechanism& mechanism, Parameters parameters) {
  Request pure = request;
  pure.delta = 0;
  return calibrated(pure, mechanism, std::move(parameters), NoiseKind::laplace,
                    {accounting::Laplace{accounting::kToCalibrate}}, [&](double) { return request.shape.l1(); });
}

std::int64_t on_grid(std::int64_t count, double grid) {
  const int places = -std::ilogb(grid);  // grid = 2^-places
  return std::min(count, noise::kValueLimit >> places) << places;
}

std::vector<std::int64_t> on_grid(std::span<const std::int64_t> counts, double grid) {
  const auto per_count = on_grid(1, grid);
  const std::int64_t largest = noise::kValueLimit / per_count;
  std::vector<std::int64_t> indices(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) indices[i] = std::min(counts[i], largest) * per_count;
  return indices;
}

std::vector<double> off_grid(std::span<const std::int64_t> indices, double grid) {
  std::vector<double> values(indices.size());
  for (std::size_t i = 0; i < indices.size(); ++i) values[i] = static_cast<double>(indices[i]) * grid;
  return values;
}

Result<Measurement> measure_every_step(const SeriesPlan& plan, std::span<const std::int64_t> counts, Draws& draws) {
  std::vector<std::int64_t> indices = on_grid(counts, plan.grid);
  CV_CHECK(draws.add_noise(indices, plan.noise, plan.scale, plan.grid));
  return Measurement{.values = off_grid(indices, plan.grid), .kept = std::nullopt};
}

Result<void> check_complete(const SeriesPlan& plan, const Measurement& measurement) {
  if (measurement.values.size() == static_cast<std::size_t>(plan.measured) && !measurement.kept) return {};
  return fail(ErrorKind::internal, "reconstruct", "the measurement does not have the shape of the plan");
}

Result<Estimate> reconstruct_every_step(const SeriesPlan& plan, const Measurement& measurement) {
  CV_CHECK(check_complete(plan, measurement));
  const double half_width = noise_half_width(plan.noise, plan.scale, plan.level);
  Estimate estimate;
  estimate.value = measurement.values;
  for (const double value : measurement.values) {
    estimate.lower.push_back(value - half_width);
    estimate.upper.push_back(value + half_width);
  }
  estimate.sampled.assign(measurement.values.size(), 1);
  return estimate;
}

double noise_half_width(NoiseKind noise, double scale, double level) {
  if (noise == NoiseKind::laplace) return -scale * std::log1p(-level);
  return scale * std::sqrt(2.0) * boost::math::erf_inv(level);
}

double combined_half_width(NoiseKind noise, double deviation, double level) {
  const double normal = noise_half_width(NoiseKind::gaussian, deviation, level);
  if (noise == NoiseKind::gaussian) return normal;
  return std::max(normal, noise_half_width(NoiseKind::laplace, deviation / std::sqrt(2.0), level));
}

double standard_deviation(NoiseKind noise, double scale) {
  return noise == NoiseKind::laplace ? std::sqrt(2.0) * scale : scale;
}

}  // namespace chronoveil::mechanisms
