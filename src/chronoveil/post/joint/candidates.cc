#include "chronoveil/post/joint/candidates.h"

#include <numeric>

namespace chronoveil::post::joint {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// u of the smooth spectra without white, then of the flat one: the mean alone.
ArrayXXd noise_shares(const Spectra& spectra, Index steps) {
  std::vector<ArrayXd> all;
  for (const Spectrum& one : spectra.linear())
    if (one.white == 0 && one.season == 0 && one.cutoff > 0) spectra.noise_share(one, all.emplace_back());
  spectra.noise_share({}, all.emplace_back());
  ArrayXXd shares(steps, static_cast<Index>(all.size()));
  for (std::size_t i = 0; i < all.size(); ++i) shares.col(static_cast<Index>(i)) = all[i];
  return shares;
}

}  // namespace

Candidates::Candidates(Dictionary& dictionary, Factors factors, const ArrayXd& envelope, Loadings loadings)
    : factors_(std::move(factors)),
      loadings_(std::move(loadings)),
      shares_(noise_shares(dictionary.spectra, envelope.size())),
      damping_(envelope.size(), kRoughnesses),
      curve_coefficients_(factors_.curves.rows(), factors_.curves.cols()),
      squared_curves_(factors_.curves.cwiseAbs2()),
      dropped_by_spectrum_(envelope.size(), shares_.cols()) {
  CosineBasis& basis = dictionary.basis;
  for (Index w = 0; w < kRoughnesses; ++w) damping_.col(w) = (1 + kRoughness[w] * envelope).inverse();
  for (Index j = 0; j < factors_.curves.cols(); ++j)
    basis.forward(view(factors_.curves.col(j)), view(curve_coefficients_.col(j)));
  ArrayXd work(envelope.size()), smooth(envelope.size());
  for (Index i = 0; i < spectra(); ++i) {
    work = shares_.col(i);
    basis.spread(view(work), view(smooth));
    dropped_by_spectrum_.col(i) = smooth.matrix();
    for (Index j = 0; j < factors_.curves.cols(); ++j) {
      work = shares_.col(i) * curve_coefficients_.col(j).array();
      basis.inverse(view(work), view(smooth));
      dropped_by_spectrum_.col(i).array() -= factors_.curves.col(j).array() * smooth;
    }
  }
  spectrum_sums_ = dropped_by_spectrum_.transpose() * damping_.matrix();
  curve_sums_ = squared_curves_.transpose() * damping_.matrix();
}

Candidates::OneSeries Candidates::prepared(Eigen::Ref<const ArrayXd> z, Eigen::Ref<const ArrayXd> coefficients) const {
  const VectorXd a = factors_.curves.transpose() * z.matrix();
  OneSeries one;
  one.q = z - (factors_.curves * a).array();
  one.coefficients = coefficients - (curve_coefficients_ * a).array();
  one.size = size_of(z);
  one.curves = factors_.curves * loadings_.residual(a.array(), one.size).matrix();
  return one;
}

MatrixXd Candidates::smoothed(CosineBasis& basis, const OneSeries& one, const std::vector<Index>& numbers) const {
  MatrixXd all(one.q.size(), static_cast<Index>(numbers.size()));
  std::vector<Index> transformed;  // columns
  for (Index n = 0; n < all.cols(); ++n) {
    const Index spectrum = numbers[static_cast<std::size_t>(n)];
    if (spectrum + 1 == spectra()) {
      all.col(n) = (one.q - one.q.mean()).matrix();
    } else {
      all.col(n) = (shares_.col(spectrum) * one.coefficients).matrix();
      transformed.push_back(n);
    }
  }
  for (std::size_t n = 0; n + 1 < transformed.size(); n += 2)
    basis.inverse_both(view(all.col(transformed[n])), view(all.col(transformed[n + 1])));
  if (transformed.size() % 2 == 1) basis.inverse(view(all.col(transformed.back())), view(all.col(transformed.back())));
  return all;
}

ArrayXd Candidates::risks(CosineBasis& basis, Eigen::Ref<const ArrayXd> z,
                          Eigen::Ref<const ArrayXd> coefficients) const {
  const OneSeries one = prepared(z, coefficients);
  const Index steps = z.size();
  std::vector<Index> every(static_cast<std::size_t>(spectra()));
  std::iota(every.begin(), every.end(), Index{0});
  const MatrixXd y = smoothed(basis, one, every);
  // Σ (y + g)²/(1 + ωE)², g the part of the curves, from the products of all y with all g.
  const MatrixXd weights = damping_.square().matrix();
  MatrixXd weighted(steps, kOptions * kRoughnesses);
  for (Index w = 0; w < kRoughnesses; ++w)
    weighted.middleCols(w * kOptions, kOptions) = weights.col(w).asDiagonal() * one.curves;
  const MatrixXd both = y.transpose() * weighted;
  const MatrixXd of_spectra = y.cwiseAbs2().transpose() * weights;
  const MatrixXd of_curves = one.curves.cwiseAbs2().transpose() * weights;
  const MatrixXd dropped = loadings_.dropped(one.size).matrix().transpose() * curve_sums_;
  ArrayXd all(count());
  for (Index i = 0; i < spectra(); ++i)
    for (Index o = 0; o < kOptions; ++o)
      for (Index w = 0; w < kRoughnesses; ++w)
        all[number(i, o, w)] = of_spectra(i, w) + 2 * both(i, w * kOptions + o) + of_curves(o, w) +
                               static_cast<double>(steps) - 2 * (spectrum_sums_(i, w) + dropped(o, w));
  return all;
}

MixturePart Candidates::part(CosineBasis& basis, Eigen::Ref<const ArrayXd> z, Eigen::Ref<const ArrayXd> coefficients,
                             Eigen::Ref<const ArrayXd> weights) const {
  const OneSeries one = prepared(z, coefficients);
  const Index steps = z.size();
  const double total = weights.sum();
  MixturePart part{total, ArrayXd::Zero(steps), ArrayXd::Zero(steps), ArrayXd::Constant(steps, total)};
  if (total == 0) return part;
  // One row per roughness and option, one column per spectrum.
  const Eigen::Map<const MatrixXd> by_spectrum(weights.data(), kOptions * kRoughnesses, spectra());
  std::vector<Index> used;
  for (Index i = 0; i < spectra(); ++i)
    if (by_spectrum.col(i).maxCoeff() > 0) used.push_back(i);
  const MatrixXd y = smoothed(basis, one, used);
  const MatrixXd dropped = loadings_.dropped(one.size).matrix();
  ArrayXd second = ArrayXd::Zero(steps);
  for (Index w = 0; w < kRoughnesses; ++w) {
    MatrixXd pair(kOptions, y.cols());  // the weights of option and spectrum
    for (Index o = 0; o < kOptions; ++o)
      for (Index n = 0; n < y.cols(); ++n)
        pair(o, n) = by_spectrum(o * kRoughnesses + w, used[static_cast<std::size_t>(n)]);
    if (pair.maxCoeff() == 0) continue;
    const VectorXd of_spectrum = pair.colwise().sum(), of_option = pair.rowwise().sum();
    const ArrayXd damping = damping_.col(w);
    part.sum += damping * (y * of_spectrum + one.curves * of_option).array();
    second += damping.square() * ((y.cwiseAbs2() * of_spectrum + one.curves.cwiseAbs2() * of_option).array() +
                                  2 * ((one.curves * pair).array() * y.array()).rowwise().sum());
    VectorXd gone = squared_curves_ * (dropped * of_option);
    for (std::size_t n = 0; n < used.size(); ++n)
      gone += of_spectrum[static_cast<Index>(n)] * dropped_by_spectrum_.col(used[n]);
    part.variance -= damping * gone.array();
  }
  part.mean = part.sum / total;
  part.divergence = part.variance.sum();
  part.variance += (second - part.sum * part.mean).max(0);
  return part;
}

}  // namespace chronoveil::post::joint
