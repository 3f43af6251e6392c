#include "chronoveil/post/joint/envelope.h"

#include <algorithm>
#include <cmath>

#include "chronoveil/post/joint/smooth.h"

namespace chronoveil::post::joint {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr std::size_t kFewest = 8;

ArrayXXd squared_roughness(const ArrayXXd& z) {
  const Index last = z.rows() - 1;
  ArrayXXd rough(z.rows(), z.cols());
  rough.middleRows(1, last - 1) =
      (2 * z.middleRows(1, last - 1) - z.topRows(last - 1) - z.bottomRows(last - 1)).square() / 6;
  rough.row(0) = (z.row(0) - z.row(1)).square() / 2;
  rough.row(last) = (z.row(last) - z.row(last - 1)).square() / 2;
  return rough;
}

}  // namespace

std::vector<ArrayXd> learn_envelopes(Dictionary& dictionary, const ArrayXXd& values, const Folds& folds) {
  const ArrayXXd rough = squared_roughness(values);
  std::vector<ArrayXd> all;
  for (Index fold = 0; fold < folds.count(); ++fold) {
    const std::vector<Index> others = folds.others(fold);
    if (others.size() < kFewest) {
      all.push_back(ArrayXd::Ones(values.rows()));
      continue;
    }
    const ArrayXd mean = rough(Eigen::all, others).rowwise().mean();
    const double noise = std::sqrt(2 / static_cast<double>(others.size())) * std::max(1.0, mean.mean());
    const ArrayXd excess = noise * smooth(dictionary, (mean - 1) / noise).estimate.col(0);
    const ArrayXd envelope = excess.max(0.02 * std::max(excess.mean(), 1e-3));
    all.push_back(envelope / envelope.mean());
  }
  return all;
}

}  // namespace chronoveil::post::joint
