#include "chronoveil/mechanisms/series/running_total.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/mechanisms/parts/fixed_point.h"

namespace chronoveil::mechanisms {
namespace {

constexpr std::int64_t kMostSteps = 1'000'000;  // a few minutes per series

// c_0, ..., c_{T−1}. They need not be exact: the norms are those of the very integers that are used.
std::vector<long double> square_root_of_prefix_sum(std::int64_t steps) {
  std::vector<long double> c(static_cast<std::size_t>(steps), 1);
  for (std::size_t k = 1; k < c.size(); ++k)
    c[k] = c[k - 1] * static_cast<long double>(2 * k - 1) / static_cast<long double>(2 * k);
  return c;
}

std::vector<std::int64_t> fixed_coefficients(std::int64_t steps) {
  std::vector<std::int64_t> fixed;
  for (const long double c : square_root_of_prefix_sum(steps))
    fixed.push_back(static_cast<std::int64_t>(ldexpl(c, kFixedBits)));
  return fixed;
}

// The L1 or L2 norm of the largest column, the first, rounded up.
double column_norm(std::int64_t steps, NoiseKind noise) {
  long double sum = 0;
  for (const std::int64_t k : fixed_coefficients(steps)) {
    const long double c = ldexpl(static_cast<long double>(k), -kFixedBits);
    sum += noise == NoiseKind::gaussian ? c * c : c;
  }
  return static_cast<double>(noise == NoiseKind::gaussian ? sqrtl(sum) : sum) * (1 + 0x1p-40);
}

Result<SeriesPlan> plan_of(const Request& request) {
  CV_CHECK(check_request(request, running_total()));
  CV_TRY(Parameters parameters, resolved(request, running_total()));
  const PublicShape& shape = request.shape;
  if (shape.steps > kMostSteps) return invalid("steps", std::to_string(shape.steps), "at most 10^6 for running_total");
  const NoiseKind noise = request.delta > 0 ? NoiseKind::gaussian : NoiseKind::laplace;
  const bool gaussian = noise == NoiseKind::gaussian;
  const accounting::Event open = gaussian ? accounting::Event{accounting::Gaussian{accounting::kToCalibrate}}
                                          : accounting::Event{accounting::Laplace{accounting::kToCalibrate}};
  const double norm = column_norm(shape.steps, noise);
  const auto moved = static_cast<double>(shape.steps * shape.touched());
  const auto sensitivity = [&](double grid) {
    const double exact = (gaussian ? shape.l2() : shape.l1()) * norm;
    return (exact + (gaussian ? std::sqrt(moved) : moved) * grid) * (1 + 0x1p-45);
  };
  return calibrated(request, running_total(), std::move(parameters), noise, open, sensitivity,
                    largest_sum(shape.maximum, 2 * std::sqrt(static_cast<double>(shape.steps))));
}

Result<Measurement> measure_halfway(const SeriesPlan& plan, std::span<const std::int64_t> counts, Draws& draws) {
  const auto T = static_cast<std::size_t>(plan.shape.steps);
  std::vector<std::int64_t> reversed = fixed_coefficients(plan.shape.steps);  // c_{T−1}, ..., c_0
  std::reverse(reversed.begin(), reversed.end());
  std::vector<std::int64_t> indices(counts.size());
  for (std::size_t first = 0; first < counts.size(); first += T) {
    for (std::size_t t = 0; t < T; ++t) {
      FixedSum sum = 0;
      const std::int64_t* coefficient = reversed.data() + (T - 1 - t);
      const std::int64_t* value = counts.data() + first;
      for (std::size_t i = 0; i <= t; ++i) sum += static_cast<FixedSum>(coefficient[i]) * value[i];
      indices[first + t] = to_grid(sum, plan.grid);
    }
  }
  CV_CHECK(draws.add_noise(indices, plan.noise, plan.scale, plan.grid));
  return Measurement{.values = off_grid(indices, plan.grid), .kept = std::nullopt};
}

Result<Estimate> add_up(const SeriesPlan& plan, const Measurement& measurement) {
  CV_CHECK(check_complete(plan, measurement));
  const auto T = static_cast<std::size_t>(plan.shape.steps);
  const std::vector<long double> exact = square_root_of_prefix_sum(plan.shape.steps);
  const std::vector<double> c(exact.begin(), exact.end());
  Estimate estimate;
  estimate.value.assign(measurement.values.size(), 0);
  for (std::size_t first = 0; first < measurement.values.size(); first += T) {
    for (std::size_t i = 0; i < T; ++i) {
      const double measured = measurement.values[first + i];
      double* total = estimate.value.data() + first + i;
      for (std::size_t k = 0; k < T - i; ++k) total[k] += c[k] * measured;
    }
  }
  const double deviation = standard_deviation(plan.noise, plan.scale);
  std::vector<double> half_width(T);
  double energy = 0;
  for (std::size_t t = 0; t < T; ++t) {
    energy += c[t] * c[t];
    half_width[t] = combined_half_width(plan.noise, deviation * std::sqrt(energy), plan.level);
  }
  for (std::size_t first = 0; first < estimate.value.size(); first += T) {
    for (std::size_t t = 0; t < T; ++t) {
      estimate.lower.push_back(estimate.value[first + t] - half_width[t]);
      estimate.upper.push_back(estimate.value[first + t] + half_width[t]);
    }
  }
  estimate.sampled.assign(estimate.value.size(), 1);
  return estimate;
}

// Of the last step, which has the most noise: √Σ c_k².
double last_spread(const SeriesPlan& plan) {
  long double energy = 0;
  for (const long double c : square_root_of_prefix_sum(plan.shape.steps)) energy += c * c;
  return static_cast<double>(sqrtl(energy));
}

}  // namespace

const SeriesMechanism& running_total() {
  static const SeriesMechanism row{
      .name = "running_total",
      .summary = "running totals that hide one person's slot",
      .units = {Unit::event},
      .totals = true,
      .prepare = plan_of,
      .measure = measure_halfway,
      .reconstruct = add_up,
      .step_spread = last_spread,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
