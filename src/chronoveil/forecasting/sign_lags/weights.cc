#include "chronoveil/forecasting/sign_lags/weights.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace chronoveil::forecasting {
namespace {

// Chosen once for all data, on windows before the test: public.
constexpr double kLeastShare = 0.05;      // of signs that are not 0
constexpr double kLeastSpectrum = 0.003;  // of a repaired sequence
constexpr double kRidge = 0.02, kRidgeOfNoise = 0.5;
constexpr double kLeastVariance = 0.05;

// The even, periodic sequence of ρ with its spectrum raised to kLeastSpectrum, and ρ(0) = 1 again. Every Toeplitz
// matrix of what comes out is part of a circulant one with that spectrum, and so is positive definite.
void repair(std::vector<double>& rho) {
  const std::size_t lags = rho.size(), length = 4 * lags, half = length / 2;
  std::vector<double> cosine(length);
  for (std::size_t i = 0; i < length; ++i)
    cosine[i] = std::cos(2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(length));
  std::vector<double> back(lags, 0.0);
  for (std::size_t f = 0; f <= half; ++f) {
    double spectrum = rho[0];
    for (std::size_t k = 1, at = f; k < lags; ++k, at = (at + f) % length) spectrum += 2 * rho[k] * cosine[at];
    // What is added, and how often this frequency is there.
    const double raised = std::max(kLeastSpectrum - spectrum, 0.0) * (f == 0 || f == half ? 1 : 2);
    if (raised == 0) continue;
    for (std::size_t k = 0, at = 0; k < lags; ++k, at = (at + f) % length) back[k] += raised * cosine[at];
  }
  const double scale = rho[0] + back[0] / static_cast<double>(length);
  for (std::size_t k = 0; k < lags; ++k) rho[k] = (rho[k] + back[k] / static_cast<double>(length)) / scale;
}

double dot(const double* one, const double* other, std::size_t size) {
  return std::inner_product(one, one + size, other, 0.0);
}

}  // namespace

Correlations correlations_of(std::span<const std::int64_t> products, std::span<const std::int64_t> counts,
                             double noise) {
  Correlations made{std::vector<double>(products.size(), 0.0), std::vector<double>(products.size(), 0.0)};
  const auto mean = [&](std::size_t k) {
    return counts[k] > 0 ? static_cast<double>(products[k]) / static_cast<double>(counts[k]) : 0.0;
  };
  const double share = std::clamp(mean(0), kLeastShare, 1.0);
  made.rho[0] = 1;
  for (std::size_t k = 1; k < products.size(); ++k) {
    if (counts[k] <= 0) continue;
    // The correlation of an elliptical law from that of its signs [VanVleck66]: whatever the spread of each step is.
    const double rho = std::sin(std::numbers::pi / 2 * std::clamp(mean(k) / share, -1.0, 1.0));
    made.noise[k] = std::numbers::pi / 2 * noise / (static_cast<double>(counts[k]) * share);
    made.rho[k] = std::copysign(std::max(std::abs(rho) - made.noise[k], 0.0), rho);
  }
  repair(made.rho);
  return made;
}

SeasonWeights weights_of(const Correlations& correlations, std::int64_t context, std::int64_t forecast) {
  const auto size = static_cast<std::size_t>(context), steps = static_cast<std::size_t>(forecast);
  const std::vector<double>& rho = correlations.rho;
  const double noise = dot(correlations.noise.data(), correlations.noise.data(), correlations.noise.size());
  const double ridge = kRidge + kRidgeOfNoise * std::sqrt(2 * noise);
  const double diagonal = 1 + ridge;
  SeasonWeights made{std::vector<double>(steps * size, 0.0), std::vector<double>(steps)};
  // Levinson's recursion [GolubVanLoan13]: `back` predicts a value from the n that follow it, and turns the
  // solution for n values into that for n + 1.
  std::vector<double> back(size, 0.0), turned(size, 0.0);
  double left = diagonal;  // the variance that `back` leaves
  for (std::size_t n = 0; n < size; ++n) {
    if (n > 0) {
      // Durbin: from n - 1 to n.
      double change = rho[n];
      for (std::size_t i = 0; i + 1 < n; ++i) change -= back[i] * rho[n - 1 - i];
      change /= left;
      for (std::size_t i = 0; i + 1 < n; ++i) turned[i] = back[i] - change * back[n - 2 - i];
      turned[n - 1] = change;
      std::copy_n(turned.begin(), n, back.begin());
      left *= 1 - change * change;
    }
    for (std::size_t h = 0; h < steps; ++h) {
      double* const x = made.weights.data() + h * size;
      double missed = rho[h + 1 + n];  // b_h(n), n from 0
      for (std::size_t i = 0; i < n; ++i) missed -= x[i] * rho[n - i];
      const double step = missed / left;
      for (std::size_t i = 0; i < n; ++i) x[i] -= step * back[n - 1 - i];
      x[n] = step;
    }
  }
  for (std::size_t h = 0; h < steps; ++h) {
    const double* const x = made.weights.data() + h * size;
    // 1 - 2 a·b + a'Ta, where Ta = b - λa.
    const double variance = 1 - dot(x, rho.data() + h + 1, size) - ridge * dot(x, x, size);
    made.variances[h] = std::clamp(variance, kLeastVariance, 1.0);
  }
  return made;
}

Result<SignLagsModel> model_of(const SignRelease& release) {
  CV_CHECK(check_release(release));
  SignLagsModel model{release.config, {}};
  const auto per_season = static_cast<std::size_t>(release.config.lags() + 1);
  for (std::size_t i = 0; i < release.config.seasons.size(); ++i) {
    const std::span products = std::span(release.products).subspan(i * per_season, per_season);
    const std::span counts = std::span(release.counts).subspan(i * per_season, per_season);
    model.seasons.push_back(
        weights_of(correlations_of(products, counts, release.noise), release.config.context, release.config.forecast));
  }
  return model;
}

SignLagsModel without_data(const SignLagsConfig& config) {
  const auto steps = static_cast<std::size_t>(config.forecast);
  const SeasonWeights none{std::vector<double>(steps * static_cast<std::size_t>(config.context), 0.0),
                           std::vector<double>(steps, 1.0)};
  return {config, std::vector<SeasonWeights>(config.seasons.size(), none)};
}

}  // namespace chronoveil::forecasting
