#include "chronoveil/post/joint/loadings.h"

#include <algorithm>

namespace chronoveil::post::joint {
namespace {

using Eigen::ArrayXd;
using Eigen::ArrayXXd;
using Eigen::Index;

constexpr double kScales[] = {0.1, 1, 10};  // α
constexpr double kLeast = 1e-12;            // of a denominator

}  // namespace

Loadings::Loadings(const ArrayXXd& coefficients, const ArrayXd& sizes)
    : gamma_((coefficients.square().rowwise().mean() - 1).max(1e-6)),
      beta_(ArrayXd::Zero(coefficients.rows())),
      tau_(ArrayXd::Ones(coefficients.rows())) {
  const ArrayXd beyond_noise = (sizes.square() - 1).max(0);
  for (Index j = 0; j < coefficients.rows(); ++j) {
    const ArrayXd a = coefficients.row(j).transpose();
    for (int pass = 0; pass < 5; ++pass) {
      const ArrayXd w = (1 + tau_[j] * beyond_noise).inverse();
      beta_[j] = (w * a * sizes).sum() / std::max(kLeast, (w * sizes.square()).sum());
      tau_[j] = (w.square() * beyond_noise * ((a - beta_[j] * sizes).square() - 1)).sum() /
                std::max(kLeast, (w * beyond_noise).square().sum());
      tau_[j] = std::max(1e-8, tau_[j]);
    }
  }
}

ArrayXXd Loadings::dropped(double size) const {
  ArrayXXd all(gamma_.size(), kOptions);
  all.col(0).setZero();
  for (Index i = 0; i < 3; ++i) {
    all.col(1 + i) = (1 + kScales[i] * gamma_).inverse();
    all.col(4 + i) = (1 + kScales[i] * std::max(size * size, 1.0) * tau_).inverse();
  }
  return all;
}

ArrayXXd Loadings::residual(const ArrayXd& a, double size) const {
  ArrayXXd all = dropped(size);
  all.leftCols(4).colwise() *= a;
  all.rightCols(3).colwise() *= a - beta_ * size;
  return all;
}

}  // namespace chronoveil::post::joint
