#include "chronoveil/post/joint/totals.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/post/joint/smooth.h"

namespace chronoveil::post::joint {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

// C(d): what of d, seen with noise 1, is real.
ArrayXd real_part(Dictionary& dictionary, const ArrayXd& d) {
  DictionaryBatch batch(dictionary, d);
  const ArrayXd risks = batch.risks().row(0).transpose();
  const double none = d.square().sum() - static_cast<double>(d.size());
  const double least = std::min(none, risks.minCoeff());
  // Priors ½ and ½/n_p, both times two.
  ArrayXd weights = ((least - risks) / kTemperature).exp() / static_cast<double>(risks.size());
  const double nothing = std::exp((least - none) / kTemperature), all = nothing + weights.sum();
  weights = (weights < kNegligible * all).select(0, weights / all);
  if (weights.sum() == 0) return ArrayXd::Zero(d.size());
  const ArrayXXd row = weights.transpose();
  const Mixture mixture = combined(d.size(), batch.parts(row).front());
  return weights.sum() * d - mixture.residual;
}

}  // namespace

ArrayXd hold_totals(Dictionary& dictionary, const ArrayXXd& values, const ArrayXd& uncertainty, double own_noise,
                    std::int64_t season, ArrayXXd& estimates) {
  const Index steps = values.rows();
  const double series = static_cast<double>(values.cols()), length = static_cast<double>(steps);
  const double noise = std::sqrt(std::max(1 - own_noise, 0.02));
  const Eigen::VectorXd shares = (uncertainty / uncertainty.sum()).matrix();
  const ArrayXd total = values.rowwise().sum() / std::sqrt(series);
  const auto lacking = [&]() -> ArrayXd { return total - estimates.rowwise().sum() / std::sqrt(series); };
  const auto give = [&](const ArrayXd& what) {
    estimates.matrix().noalias() += (std::sqrt(series) * what).matrix() * shares.transpose();
  };

  const Smooth of_total = smooth(dictionary, total);
  const double lack = of_total.stein[0] + std::sqrt(2 / length) - of_total.variance.mean();
  ArrayXd variance = of_total.variance.col(0) + std::max(0.0, lack);

  give(noise * real_part(dictionary, lacking() / noise));
  if (season > 1 && season <= steps / 2) {
    const Index blocks = (steps + season - 1) / season;
    const auto length_of = [&](Index block) { return std::min<Index>(season, steps - block * season); };
    const ArrayXd left = lacking();
    ArrayXd sums(blocks);
    for (Index b = 0; b < blocks; ++b)
      sums[b] = left.segment(b * season, length_of(b)).sum() / std::sqrt(static_cast<double>(length_of(b)));
    const bool restored = static_cast<double>(blocks) / (length * series) <= kRestored * uncertainty.mean();
    if (restored) {
      variance += static_cast<double>(blocks) / length;
    } else {
      Dictionary of_blocks(blocks, 0);
      sums = noise * real_part(of_blocks, sums / noise);
    }
    ArrayXd spread(steps);
    for (Index b = 0; b < blocks; ++b)
      spread.segment(b * season, length_of(b)).setConstant(sums[b] / std::sqrt(static_cast<double>(length_of(b))));
    give(spread - spread.mean());
  }
  return variance.min(1);
}

}  // namespace chronoveil::post::joint
