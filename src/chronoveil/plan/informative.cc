#include "chronoveil/plan/informative.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "chronoveil/accounting/normal.h"
#include "chronoveil/mechanisms/catalogue.h"
#include "chronoveil/mechanisms/rehearsal.h"
#include "chronoveil/plan/comparison.h"
#include "chronoveil/plan/noise_error.h"

namespace chronoveil::plan {
namespace {

// The half-width of an interval, in units of the mean of |noise|.
double half_width_of(bool laplace, double level) {
  if (laplace) return -std::log(1 - level);
  return accounting::normal_quantile_above((1 - level) / 2) / std::sqrt(2 / std::numbers::pi);
}

}  // namespace

std::int64_t largest_count(const mechanisms::PublicShape& shape, std::int64_t people) {
  std::int64_t all = 0;
  if (__builtin_mul_overflow(people, shape.max_per_slot, &all)) return shape.maximum;
  return std::min(all, shape.maximum);
}

Result<Informative> informative(const mechanisms::SeriesPlan& plan, std::int64_t people) {
  CV_TRY(const mechanisms::SeriesMechanism* mechanism, mechanisms::find_series_mechanism(plan.mechanism));
  const auto steps = static_cast<double>(plan.shape.steps);
  Informative told;
  const std::int64_t largest = largest_count(plan.shape, people);
  told.range = static_cast<double>(largest) * (mechanism->totals ? steps : 1);
  const bool one_draw = plan.noise == NoiseKind::laplace && mechanism->step_spread == nullptr;
  told.half_width = noise_error(*mechanism, plan) * half_width_of(one_draw, plan.level);
  const std::int64_t values = plan.shape.series * plan.shape.steps;
  if (told.holds() || values > kMostRehearsed) return told;
  const std::vector<std::int64_t> flat(static_cast<std::size_t>(values), largest / 2);
  CV_TRY(const Estimate estimate, mechanisms::rehearse(plan, flat, 0));
  double sum = 0;
  for (std::size_t i = 0; i < estimate.value.size(); ++i) sum += (estimate.upper[i] - estimate.lower[i]) / 2;
  told.half_width = sum / static_cast<double>(values);
  return told;
}

Result<Informative> informative(const mechanisms::CellsPlan& plan, const std::vector<std::uint32_t>& counts) {
  CV_TRY(const mechanisms::CellMechanism* mechanism, mechanisms::find_cell_mechanism(plan.mechanism));
  CV_TRY(const mechanisms::CellFacts facts, mechanism->look(plan, counts));
  return Informative{facts.expected_noise * half_width_of(plan.noise == NoiseKind::laplace, plan.level),
                     plan.shape.width()};
}

}  // namespace chronoveil::plan
