#include "chronoveil/post/shrink/shrink.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "chronoveil/post/shrink/dictionary.h"

namespace chronoveil::post {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

// How rough the values are, noise included: the root mean square of the upper half of the cosine coefficients.
double roughness(CosineBasis& basis, std::span<const double> values) {
  ArrayXd coefficients(basis.steps());
  basis.forward(values, view(coefficients));
  const Index upper = (basis.steps() - 1) / 2;  // k > T/2
  return upper == 0 ? 0 : std::sqrt(coefficients.tail(upper).square().mean());
}

}  // namespace

Estimate shrink(std::span<const double> values, const ShrinkSpec& spec) {
  const Index steps = spec.steps, series = static_cast<Index>(values.size()) / steps;
  Dictionary dictionary(steps, spec.season);
  Estimate all;
  all.value.reserve(values.size());
  all.lower.reserve(values.size());
  all.upper.reserve(values.size());
  all.sampled.assign(values.size(), 1);
  const double stein_error = std::sqrt(2 / static_cast<double>(steps));
  for (Index first = 0; first < series; first += DictionaryBatch::kSize) {
    const Index count = std::min(DictionaryBatch::kSize, series - first);
    ArrayXXd scaled(steps, count);
    ArrayXd inflation = ArrayXd::Ones(count);  // of the noise, by roughness that is not part of a trend
    for (Index s = 0; s < count; ++s) {
      const std::span<const double> one =
          values.subspan(static_cast<std::size_t>((first + s) * steps), static_cast<std::size_t>(steps));
      if (spec.trend) inflation[s] = std::max(1.0, roughness(dictionary.basis, one) / spec.noise_deviation);
      scaled.col(s) = Eigen::Map<const ArrayXd>(one.data(), steps) / (spec.noise_deviation * inflation[s]);
    }
    DictionaryBatch batch(dictionary, scaled);
    const ArrayXXd risks = batch.risks(), weights = exponential_weights(risks);
    const std::vector<std::vector<MixturePart>> parts = batch.parts(weights);
    for (Index s = 0; s < count; ++s) {
      const Mixture mixture = combined(steps, parts[static_cast<std::size_t>(s)]);
      const double stein = (weights.row(s) * risks.row(s)).sum() / static_cast<double>(steps) + stein_error;
      const double raise = std::max(0.0, stein - mixture.variance.mean());
      const ArrayXd estimate = scaled.col(s) - mixture.residual, variance = (mixture.variance + raise).min(1);
      for (Index t = 0; t < steps; ++t) {
        const double value = spec.noise_deviation * inflation[s] * estimate[t];
        const double half_width = spec.half_width * inflation[s] * std::sqrt(variance[t]);
        all.value.push_back(value);
        all.lower.push_back(value - half_width);
        all.upper.push_back(value + half_width);
      }
    }
  }
  return all;
}

}  // namespace chronoveil::post
