#include "chronoveil/mechanisms/series/dft.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "chronoveil/mechanisms/draws.h"
#include "chronoveil/mechanisms/parts/calibrated.h"
#include "chronoveil/mechanisms/parts/fixed_point.h"

namespace chronoveil::mechanisms {
namespace {

constexpr double kUp = 1 + 0x1p-45;  // more than all roundings of one formula below

std::int64_t frequencies(std::int64_t steps, std::int64_t wanted) { return std::min(wanted, steps / 2 + 1); }

std::int64_t coefficients(std::int64_t steps, std::int64_t kept) { return std::min(2 * kept - 1, steps); }

// The basis of one series. An entry depends on j t mod T only, so a table of T angles holds it all, and the angle is
// reduced exactly.
template <class Entry>
class Basis {
 public:
  Basis(std::int64_t steps, Entry (*convert)(long double)) : steps_(steps) {
    const auto T = static_cast<long double>(steps);
    const long double flat = 1 / sqrtl(T), wave = sqrtl(2 / T);
    flat_ = convert(flat);
    cosine_.resize(static_cast<std::size_t>(steps));
    sine_.resize(cosine_.size());
    for (std::size_t r = 0; r < cosine_.size(); ++r) {
      const long double angle = 2 * std::numbers::pi_v<long double> * static_cast<long double>(r) / T;
      cosine_[r] = convert(wave * cosl(angle));
      sine_[r] = convert(wave * sinl(angle));
    }
  }

  // All steps of one coefficient.
  void row(std::int64_t coefficient, std::vector<Entry>& entries) const {
    entries.assign(cosine_.size(), flat_);
    if (coefficient == 0) return;
    const std::int64_t j = (coefficient + 1) / 2;
    if (2 * j == steps_) {
      for (std::size_t t = 1; t < entries.size(); t += 2) entries[t] = -flat_;
      return;
    }
    const std::vector<Entry>& table = coefficient % 2 == 1 ? cosine_ : sine_;
    std::int64_t r = 0;
    for (Entry& entry : entries) {
      entry = table[static_cast<std::size_t>(r)];
      r += j;
      if (r >= steps_) r -= steps_;
    }
  }

 private:
  std::int64_t steps_;
  Entry flat_;
  std::vector<Entry> cosine_, sine_;
};

std::int64_t to_fixed(long double entry) { return llroundl(ldexpl(entry, kFixedBits)); }
double to_double(long double entry) { return static_cast<double>(entry); }

// max_t Σ_i |B_it|. |cos| + |sin| <= √2 bounds it by m/√T; if that does not take too long, it is added up instead.
double largest_column(std::int64_t steps, std::int64_t m) {
  constexpr std::int64_t kEntries = std::int64_t{1} << 24;
  const double bound = static_cast<double>(m) / std::sqrt(static_cast<double>(steps)) * kUp;
  if (steps > kEntries / m) return bound;
  const Basis<std::int64_t> basis(steps, to_fixed);
  std::vector<std::int64_t> sums(static_cast<std::size_t>(steps), m), entries;  // m: the error of m entries
  for (std::int64_t i = 0; i < m; ++i) {
    basis.row(i, entries);
    for (std::size_t t = 0; t < sums.size(); ++t) sums[t] += std::abs(entries[t]);
  }
  return std::min(bound, static_cast<double>(*std::max_element(sums.begin(), sums.end())) * kFixedStep * kUp);
}

// As the header derives it.
class Sensitivity {
 public:
  Sensitivity(const PublicShape& shape, std::int64_t m, NoiseKind noise) : noise_(noise) {
    const auto per_series = static_cast<double>(m), T = static_cast<double>(shape.steps);
    moved_ = per_series * static_cast<double>(shape.touched());
    const double l2 = std::min(shape.l2(), shape.l1() * std::sqrt(per_series / T));
    if (noise == NoiseKind::gaussian)
      exact_ = l2 + std::sqrt(per_series) * kFixedStep * shape.l1();
    else
      exact_ = std::min(shape.l1() * largest_column(shape.steps, m), std::sqrt(moved_) * l2) +
               per_series * kFixedStep * shape.l1();
  }
  double operator()(double grid) const {
    return (exact_ + (noise_ == NoiseKind::gaussian ? std::sqrt(moved_) : moved_) * grid) * kUp;
  }

 private:
  NoiseKind noise_;
  double moved_, exact_;
};

Result<SeriesPlan> plan_of(const Request& request) {
  CV_CHECK(check_request(request, dft()));
  CV_TRY(Parameters parameters, resolved(request, dft()));
  const std::int64_t wanted = integer(parameters, "coefficients"), steps = request.shape.steps;
  if (wanted < 1) return invalid("mechanism.coefficients", std::to_string(wanted), "a whole number of at least 1");
  if (steps > kMostTerms) return invalid("steps", std::to_string(steps), "at most 2^27 for dft");
  const std::int64_t kept = frequencies(steps, wanted), m = coefficients(steps, kept);
  parameters["coefficients"] = kept;
  const NoiseKind noise = request.delta > 0 ? NoiseKind::gaussian : NoiseKind::laplace;
  const accounting::Event open = noise == NoiseKind::gaussian
                                     ? accounting::Event{accounting::Gaussian{accounting::kToCalibrate}}
                                     : accounting::Event{accounting::Laplace{accounting::kToCalibrate}};
  CV_TRY(SeriesPlan plan,
         calibrated(request, dft(), std::move(parameters), noise, open, Sensitivity(request.shape, m, noise),
                    largest_sum(request.shape.maximum, 2 * std::sqrt(static_cast<double>(steps)))));
  plan.measured = request.shape.series * m;
  return plan;
}

std::size_t per_series(const SeriesPlan& plan) {
  return static_cast<std::size_t>(coefficients(plan.shape.steps, integer(plan.parameters, "coefficients")));
}

Result<Measurement> measure_frequencies(const SeriesPlan& plan, std::span<const std::int64_t> counts, Draws& draws) {
  const auto T = static_cast<std::size_t>(plan.shape.steps), series = static_cast<std::size_t>(plan.shape.series);
  const std::size_t m = per_series(plan);
  const Basis<std::int64_t> basis(plan.shape.steps, to_fixed);
  std::vector<std::int64_t> indices(series * m), entries;
  for (std::size_t i = 0; i < m; ++i) {
    basis.row(static_cast<std::int64_t>(i), entries);
    for (std::size_t s = 0; s < series; ++s) {
      FixedSum sum = 0;
      const std::int64_t* values = counts.data() + s * T;
      for (std::size_t t = 0; t < T; ++t) sum += static_cast<FixedSum>(entries[t]) * values[t];
      indices[s * m + i] = to_grid(sum, plan.grid);
    }
  }
  CV_CHECK(draws.add_noise(indices, plan.noise, plan.scale, plan.grid));
  return Measurement{.values = off_grid(indices, plan.grid), .kept = std::nullopt};
}

// Every column of the kept basis has the squared norm m/T, so every step has the same variance.
double spread(const SeriesPlan& plan) {
  return std::sqrt(static_cast<double>(per_series(plan)) / static_cast<double>(plan.shape.steps));
}

Result<Estimate> transform_back(const SeriesPlan& plan, const Measurement& measurement) {
  CV_CHECK(check_complete(plan, measurement));
  const auto T = static_cast<std::size_t>(plan.shape.steps), series = static_cast<std::size_t>(plan.shape.series);
  const std::size_t m = per_series(plan);
  const Basis<double> basis(plan.shape.steps, to_double);
  Estimate estimate;
  estimate.value.assign(series * T, 0);
  std::vector<double> entries;
  for (std::size_t i = 0; i < m; ++i) {
    basis.row(static_cast<std::int64_t>(i), entries);
    for (std::size_t s = 0; s < series; ++s) {
      const double coefficient = measurement.values[s * m + i];
      double* values = estimate.value.data() + s * T;
      for (std::size_t t = 0; t < T; ++t) values[t] += coefficient * entries[t];
    }
  }
  const double deviation = standard_deviation(plan.noise, plan.scale) * spread(plan);
  const double half_width = combined_half_width(plan.noise, deviation, plan.level);
  for (const double value : estimate.value) {
    estimate.lower.push_back(value - half_width);
    estimate.upper.push_back(value + half_width);
  }
  estimate.sampled.assign(estimate.value.size(), 0);  // no step was measured by itself
  return estimate;
}

}  // namespace

const SeriesMechanism& dft() {
  static const SeriesMechanism row{
      .name = "dft",
      .summary = "the low frequencies of every series, with noise",
      .units = {Unit::user, Unit::event, Unit::w_event},
      .has_published = true,
      .parameters = {{"coefficients", "frequencies that are kept, the lowest, the mean included; at most T/2 + 1",
                      std::int64_t{30}}},
      .prepare = plan_of,
      .measure = measure_frequencies,
      .reconstruct = transform_back,
      .step_spread = spread,
  };
  return row;
}

}  // namespace chronoveil::mechanisms
