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

std::vector<Index> starts_of(std::int64_t season, Index steps) {
  std::vector<Index> starts;
  if (season > 1 && season <= steps / 2)
    for (Index t = season; t < steps; t += season) starts.push_back(t);
  return starts;
}

ArrayXd TotalsHolder::hold(const std::vector<Index>& members, double own_noise, ArrayXXd& estimates) {
  const Index steps = values_.rows();
  const double series = static_cast<double>(members.size()), length = static_cast<double>(steps);
  const double noise = std::sqrt(std::max(1 - own_noise, 0.02));
  const ArrayXd uncertainty = uncertainty_(members);
  const ArrayXd shares = uncertainty / uncertainty.sum();
  const auto sum_of = [&](const ArrayXXd& all) {
    ArrayXd sum = ArrayXd::Zero(steps);
    for (const Index s : members) sum += all.col(s);
    return ArrayXd(sum / std::sqrt(series));
  };
  const ArrayXd total = sum_of(values_);
  const auto lacking = [&]() -> ArrayXd { return total - sum_of(estimates); };
  const auto give = [&](const ArrayXd& what) {
    for (std::size_t i = 0; i < members.size(); ++i)
      estimates.col(members[i]) += std::sqrt(series) * shares[static_cast<Index>(i)] * what;
  };

  const Smooth of_total = smooth(dictionary_, total);
  const double lack = of_total.stein[0] + std::sqrt(2 / length) - of_total.variance.mean();
  ArrayXd variance = of_total.variance.col(0) + std::max(0.0, lack);

  give(noise * real_part(dictionary_, lacking() / noise));
  if (!season_starts_.empty()) {
    const Index blocks = static_cast<Index>(season_starts_.size()) + 1;
    const auto start_of = [&](Index block) {
      return block == 0 ? 0 : block == blocks ? steps : season_starts_[static_cast<std::size_t>(block - 1)];
    };
    const auto length_of = [&](Index block) { return start_of(block + 1) - start_of(block); };
    const ArrayXd left = lacking();
    ArrayXd sums(blocks);
    for (Index b = 0; b < blocks; ++b)
      sums[b] = left.segment(start_of(b), length_of(b)).sum() / std::sqrt(static_cast<double>(length_of(b)));
    const bool restored = static_cast<double>(blocks) / (length * series) <= kRestored * uncertainty.mean();
    if (restored) {
      variance += static_cast<double>(blocks) / length;
    } else {
      Dictionary of_blocks(blocks, 0);
      sums = noise * real_part(of_blocks, sums / noise);
    }
    ArrayXd spread(steps);
    for (Index b = 0; b < blocks; ++b)
      spread.segment(start_of(b), length_of(b)).setConstant(sums[b] / std::sqrt(static_cast<double>(length_of(b))));
    give(spread - spread.mean());
  }
  return variance.min(1);
}

}  // namespace chronoveil::post::joint
