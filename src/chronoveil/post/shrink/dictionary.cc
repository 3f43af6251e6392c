#include "chronoveil/post/shrink/dictionary.h"

namespace chronoveil::post {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

Mixture combined(Index steps, const std::vector<MixturePart>& parts) {
  Mixture all{ArrayXd::Zero(steps), ArrayXd::Zero(steps)};
  for (const MixturePart& part : parts) {
    all.residual += part.sum;
    all.variance += part.variance;
    all.divergence += part.divergence;
  }
  for (const MixturePart& part : parts) all.variance += part.weight * (part.mean - all.residual).square();
  return all;
}

ArrayXXd exponential_weights(const ArrayXXd& risks) {
  ArrayXXd weights = ((risks.rowwise().minCoeff().replicate(1, risks.cols()) - risks) / kTemperature).exp();
  weights = (weights < kNegligible).select(0, weights);
  weights /= weights.rowwise().sum().eval().replicate(1, risks.cols());
  return weights;
}

DictionaryBatch::DictionaryBatch(Dictionary& dictionary, Eigen::Ref<const ArrayXXd> values)
    : dictionary_(dictionary), values_(values), coefficients_(values.rows(), values.cols()) {
  for (Index s = 0; s < values_.cols(); ++s)
    dictionary_.basis.forward(view(values_.col(s)), view(coefficients_.col(s)));
}

// The slab's share and odds for every coefficient.
void DictionaryBatch::prepare_slab(Index i) {
  dictionary_.spectra.noise_share(dictionary_.spectra.slab()[static_cast<std::size_t>(i)], share_);
  odds_ = slab_prior(static_cast<double>(share_.size())) - 0.5 * (1 + kSlabVariance * share_).log();
}

void DictionaryBatch::shrink_slab(Index series) {
  column_ = coefficients_.col(series);
  shrink_with_slab(column_, share_, odds_, shrunk_);
}

ArrayXXd DictionaryBatch::risks() {
  const Spectra& spectra = dictionary_.spectra;
  HaarShrinker& haar = dictionary_.haar;
  const Index first_slab = dictionary_.first_slab(), first_haar = dictionary_.first_haar();
  const double length = static_cast<double>(values_.rows());
  const Eigen::MatrixXd squares = coefficients_.square().matrix();
  ArrayXXd risks(values_.cols(), dictionary_.candidates());
  for (Index i = 0; i < first_slab; ++i) {
    spectra.noise_share(spectra.linear()[static_cast<std::size_t>(i)], share_);
    risks.col(i) = (squares.transpose() * share_.square().matrix()).array() + (length - 2 * share_.sum());
  }
  for (Index i = first_slab; i < first_haar; ++i) {
    prepare_slab(i - first_slab);
    for (Index s = 0; s < values_.cols(); ++s) {
      shrink_slab(s);
      risks(s, i) = shrunk_.risk();
    }
  }
  for (Index s = 0; s < values_.cols() && first_haar < risks.cols(); ++s) {
    haar.analyse(values_.col(s));
    for (Index i = first_haar; i < risks.cols(); ++i) {
      haar.shrink(haar.scales()[static_cast<std::size_t>(i - first_haar)], true, haar_shrunk_);
      risks(s, i) = haar_shrunk_.risk;
    }
  }
  return risks;
}

std::vector<std::vector<MixturePart>> DictionaryBatch::parts(const ArrayXXd& weights) {
  const Spectra& spectra = dictionary_.spectra;
  HaarShrinker& haar = dictionary_.haar;
  const Index first_slab = dictionary_.first_slab(), first_haar = dictionary_.first_haar();
  const Index steps = values_.rows(), series = values_.cols();
  // First and second moments of the residual coefficients, and the mean of their posterior variances.
  ArrayXXd first = ArrayXXd::Zero(steps, series), second = first, slope = first;
  for (Index i = 0; i < first_slab; ++i) {
    if (weights.col(i).maxCoeff() == 0) continue;
    spectra.noise_share(spectra.linear()[static_cast<std::size_t>(i)], share_);
    for (Index s = 0; s < series; ++s) {
      const double weight = weights(s, i);
      if (weight == 0) continue;
      column_ = coefficients_.col(s) * share_;
      first.col(s) += weight * column_;
      second.col(s) += weight * column_.square();
      slope.col(s) += weight * (1 - share_);
    }
  }
  for (Index i = first_slab; i < first_haar; ++i) {
    if (weights.col(i).maxCoeff() == 0) continue;
    prepare_slab(i - first_slab);
    for (Index s = 0; s < series; ++s) {
      const double weight = weights(s, i);
      if (weight == 0) continue;
      shrink_slab(s);
      first.col(s) += weight * shrunk_.residual;
      second.col(s) += weight * shrunk_.residual.square();
      slope.col(s) += weight * shrunk_.slope;
    }
  }

  std::vector<std::vector<MixturePart>> all(static_cast<std::size_t>(series));
  for (Index s = 0; s < series; ++s) {
    std::vector<MixturePart>& parts = all[static_cast<std::size_t>(s)];
    const double cosine_weight = weights.row(s).head(first_haar).sum();
    if (cosine_weight > 0) {
      // Within the cosine family, the differences between estimates are spread over steps like their coefficients.
      MixturePart& cosine =
          parts.emplace_back(MixturePart{cosine_weight, ArrayXd(steps), ArrayXd(), ArrayXd(steps), slope.col(s).sum()});
      column_ = slope.col(s) + (second.col(s) - first.col(s).square() / cosine_weight).max(0);
      dictionary_.basis.spread(view(column_), view(cosine.variance));
      column_ = first.col(s);
      dictionary_.basis.inverse(view(column_), view(cosine.sum));
      cosine.mean = cosine.sum / cosine_weight;
    }
    if (first_haar == weights.cols() || weights.row(s).tail(weights.cols() - first_haar).maxCoeff() == 0) continue;
    haar.analyse(values_.col(s));
    for (Index i = first_haar; i < weights.cols(); ++i) {
      const double weight = weights(s, i);
      if (weight == 0) continue;
      haar.shrink(haar.scales()[static_cast<std::size_t>(i - first_haar)], false, haar_shrunk_);
      parts.emplace_back(MixturePart{weight, weight * haar_shrunk_.residual, haar_shrunk_.residual,
                                     weight * haar_shrunk_.variance, weight * haar_shrunk_.variance.sum()});
    }
  }
  return all;
}

}  // namespace chronoveil::post
