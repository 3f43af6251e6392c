#include "chronoveil/mechanisms/sums.h"

#include <map>

#include "chronoveil/base/interrupted.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/parts/sum_of_noise.h"

namespace chronoveil::mechanisms {
namespace {

// Step by step, as live mechanisms measure, to series by series.
std::vector<double> by_series(const std::vector<double>& values, std::size_t series) {
  const std::size_t steps = values.size() / series;
  std::vector<double> all(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) all[i % series * steps + i / series] = values[i];
  return all;
}

}  // namespace

Result<Estimate> reconstruct(const SeriesPlan& plan, const Measurement& measurement) {
  CV_CHECK(check_interrupted());
  CV_TRY(const SeriesMechanism* mechanism, find_series_mechanism(plan.mechanism));
  return mechanism->reconstruct(plan, measurement);
}

Summands noisy_summands(const SeriesPlan& plan, std::vector<double> values) {
  Summands all;
  all.cells.value = std::move(values);
  all.noise = [noise = plan.noise, scale = plan.scale, level = plan.level,
               known = std::map<std::int64_t, double>()](std::int64_t cells) mutable {
    const auto [found, is_new] = known.try_emplace(cells, 0);
    if (is_new) found->second = half_width_of_sum(noise, scale, level, cells);
    return found->second;
  };
  return all;
}

Result<Summed> reconstruct(const SeriesPlan& plan, const Measurement& measurement, const SumsAsked& asked) {
  CV_CHECK(check_interrupted());
  CV_TRY(const SeriesMechanism* mechanism, find_series_mechanism(plan.mechanism));
  if (mechanism->reconstruct_summed) return mechanism->reconstruct_summed(plan, measurement, asked);
  CV_TRY(Estimate estimate, mechanism->reconstruct(plan, measurement));
  if (mechanism->measured == Measured::otherwise) {
    Summands cells{.cells = estimate, .noise = {}, .of_all = {}, .of_groups = {}};
    return Summed{std::move(estimate), std::move(cells)};
  }
  std::vector<double> values = mechanism->measured == Measured::counts_by_step
                                   ? by_series(measurement.values, static_cast<std::size_t>(plan.shape.series))
                                   : measurement.values;
  return Summed{std::move(estimate), noisy_summands(plan, std::move(values))};
}

}  // namespace chronoveil::mechanisms
