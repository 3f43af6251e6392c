#include "chronoveil/post/shrink/shrink.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <vector>

#include "chronoveil/post/shrink/cosine.h"
#include "chronoveil/post/shrink/haar.h"
#include "chronoveil/post/shrink/slab.h"
#include "chronoveil/post/shrink/spectra.h"

namespace chronoveil::post {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double kTemperature = 4;       // of the exponential weights, in σ² [LeungBarron06]
constexpr double kNegligible = 0x1p-70;  // weights below this cannot be seen in a double
constexpr Index kBatch = 32;             // series that share the spectra of one pass; fits a cache for usual T

template <class Array>
auto view(Array&& array) {
  return std::span(array.data(), static_cast<std::size_t>(array.size()));
}

// A batch of series through the whole dictionary. Everything is in units of the noise, one column per series, as
// residuals z − x̂ rather than estimates: small differences between good estimates of a large value stay exact.
class Batch {
 public:
  Batch(CosineBasis& basis, const Spectra& spectra, HaarShrinker& haar, Index series)
      : basis_(basis),
        spectra_(spectra),
        haar_(haar),
        values_(basis.steps(), series),
        coefficients_(basis.steps(), series),
        estimates_(basis.steps(), series),
        variances_(basis.steps(), series) {}

  Eigen::Ref<ArrayXd> value(Index series) { return values_.col(series); }

  void run() {
    for (Index s = 0; s < values_.cols(); ++s) basis_.forward(view(values_.col(s)), view(coefficients_.col(s)));
    risk_all();
    weigh();
    mix();
  }

  Eigen::Ref<const ArrayXd> estimate(Index series) const { return estimates_.col(series); }
  Eigen::Ref<const ArrayXd> variance(Index series) const { return variances_.col(series); }

 private:
  Index first_slab() const { return static_cast<Index>(spectra_.linear().size()); }
  Index first_haar() const { return first_slab() + static_cast<Index>(spectra_.slab().size()); }
  Index candidates() const { return first_haar() + static_cast<Index>(haar_.scales().size()); }

  // The slab's share and odds for every coefficient.
  void prepare_slab(Index i) {
    spectra_.noise_share(spectra_.slab()[static_cast<std::size_t>(i)], share_);
    odds_ = slab_prior(static_cast<double>(share_.size())) - 0.5 * (1 + kSlabVariance * share_).log();
  }
  void shrink_slab(Index series) {
    column_ = coefficients_.col(series);
    shrink_with_slab(column_, share_, odds_, shrunk_);
  }

  void risk_all() {
    const double length = static_cast<double>(values_.rows());
    const Eigen::MatrixXd squares = coefficients_.square().matrix();
    risks_.resize(values_.cols(), candidates());
    for (Index i = 0; i < first_slab(); ++i) {
      spectra_.noise_share(spectra_.linear()[static_cast<std::size_t>(i)], share_);
      risks_.col(i) = (squares.transpose() * share_.square().matrix()).array() + (length - 2 * share_.sum());
    }
    for (Index i = first_slab(); i < first_haar(); ++i) {
      prepare_slab(i - first_slab());
      for (Index s = 0; s < values_.cols(); ++s) {
        shrink_slab(s);
        risks_(s, i) = shrunk_.risk();
      }
    }
    for (Index s = 0; s < values_.cols() && first_haar() < candidates(); ++s) {
      haar_.analyse(values_.col(s));
      for (Index i = first_haar(); i < candidates(); ++i) {
        haar_.shrink(haar_.scales()[static_cast<std::size_t>(i - first_haar())], true, haar_shrunk_);
        risks_(s, i) = haar_shrunk_.risk;
      }
    }
  }

  void weigh() {
    weights_ = ((risks_.rowwise().minCoeff().replicate(1, candidates()) - risks_) / kTemperature).exp();
    weights_ = (weights_ < kNegligible).select(0, weights_);
    weights_ /= weights_.rowwise().sum().eval().replicate(1, candidates());
  }

  void mix() {
    const Index steps = values_.rows(), series = values_.cols();
    // First and second moments of the residual coefficients, and the mean of their posterior variances.
    ArrayXXd first = ArrayXXd::Zero(steps, series), second = first, slope = first;
    for (Index i = 0; i < first_slab(); ++i) {
      if (weights_.col(i).maxCoeff() == 0) continue;
      spectra_.noise_share(spectra_.linear()[static_cast<std::size_t>(i)], share_);
      for (Index s = 0; s < series; ++s) {
        const double weight = weights_(s, i);
        if (weight == 0) continue;
        column_ = coefficients_.col(s) * share_;
        first.col(s) += weight * column_;
        second.col(s) += weight * column_.square();
        slope.col(s) += weight * (1 - share_);
      }
    }
    for (Index i = first_slab(); i < first_haar(); ++i) {
      if (weights_.col(i).maxCoeff() == 0) continue;
      prepare_slab(i - first_slab());
      for (Index s = 0; s < series; ++s) {
        const double weight = weights_(s, i);
        if (weight == 0) continue;
        shrink_slab(s);
        first.col(s) += weight * shrunk_.residual;
        second.col(s) += weight * shrunk_.residual.square();
        slope.col(s) += weight * shrunk_.slope;
      }
    }
    for (Index s = 0; s < series; ++s) mix_one(s, first, second, slope);
  }

  void mix_one(Index s, ArrayXXd& first, const ArrayXXd& second, const ArrayXXd& slope) {
    const Index steps = values_.rows();
    const double cosine_weight = weights_.row(s).head(first_haar()).sum();
    ArrayXd residual = ArrayXd::Zero(steps), variance = ArrayXd::Zero(steps), cosine_residual = ArrayXd::Zero(steps);
    if (cosine_weight > 0) {
      // Within the cosine family, the differences between estimates are spread over steps like their coefficients.
      column_ = slope.col(s) + (second.col(s) - first.col(s).square() / cosine_weight).max(0);
      basis_.spread(view(column_), view(variance));
      column_ = first.col(s);
      basis_.inverse(view(column_), view(residual));
      cosine_residual = residual / cosine_weight;
    }
    std::vector<std::pair<double, ArrayXd>> others;  // residuals of the wavelets with weight
    if (cosine_weight < 1 && first_haar() < candidates()) {
      haar_.analyse(values_.col(s));
      for (Index i = first_haar(); i < candidates(); ++i) {
        const double weight = weights_(s, i);
        if (weight == 0) continue;
        haar_.shrink(haar_.scales()[static_cast<std::size_t>(i - first_haar())], false, haar_shrunk_);
        residual += weight * haar_shrunk_.residual;
        variance += weight * haar_shrunk_.variance;
        others.emplace_back(weight, haar_shrunk_.residual);
      }
    }
    variance += cosine_weight * (cosine_residual - residual).square();
    for (const auto& [weight, other] : others) variance += weight * (other - residual).square();

    const double length = static_cast<double>(steps);
    const double stein = (weights_.row(s) * risks_.row(s)).sum() / length + std::sqrt(2 / length);
    variance += std::max(0.0, stein - variance.mean());
    variances_.col(s) = variance.min(1);
    estimates_.col(s) = values_.col(s) - residual;
  }

  CosineBasis& basis_;
  const Spectra& spectra_;
  HaarShrinker& haar_;
  ArrayXXd values_, coefficients_, estimates_, variances_;
  ArrayXXd risks_, weights_;  // one row per series, one column per candidate
  ArrayXd share_, odds_, column_;
  Shrunk shrunk_;
  HaarShrunk haar_shrunk_;
};

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
  CosineBasis basis(steps);
  const Spectra spectra(steps, spec.season);
  HaarShrinker haar(steps);
  Estimate all;
  all.value.reserve(values.size());
  all.lower.reserve(values.size());
  all.upper.reserve(values.size());
  all.sampled.assign(values.size(), 1);
  for (Index first = 0; first < series; first += kBatch) {
    const Index count = std::min(kBatch, series - first);
    Batch batch(basis, spectra, haar, count);
    ArrayXd inflation = ArrayXd::Ones(count);  // of the noise, by roughness that is not part of a trend
    for (Index s = 0; s < count; ++s) {
      const std::span<const double> one =
          values.subspan(static_cast<std::size_t>((first + s) * steps), static_cast<std::size_t>(steps));
      if (spec.trend) inflation[s] = std::max(1.0, roughness(basis, one) / spec.noise_deviation);
      batch.value(s) = Eigen::Map<const ArrayXd>(one.data(), steps) / (spec.noise_deviation * inflation[s]);
    }
    batch.run();
    for (Index s = 0; s < count; ++s)
      for (Index t = 0; t < steps; ++t) {
        const double value = spec.noise_deviation * inflation[s] * batch.estimate(s)[t];
        const double half_width = spec.half_width * inflation[s] * std::sqrt(batch.variance(s)[t]);
        all.value.push_back(value);
        all.lower.push_back(value - half_width);
        all.upper.push_back(value + half_width);
      }
  }
  return all;
}

}  // namespace chronoveil::post
