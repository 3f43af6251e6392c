#include "chronoveil/post/shrink/haar.h"

#include <bit>
#include <cmath>

namespace chronoveil::post {
namespace {

// ½ (a(t) + b(t − shift)), indices modulo the length.
void average_with_shifted(const Eigen::ArrayXd& a, const Eigen::ArrayXd& b, Eigen::Index shift, Eigen::ArrayXd& out) {
  const Eigen::Index rest = a.size() - shift;
  out.resize(a.size());
  out.head(shift) = 0.5 * (a.head(shift) + b.tail(shift));
  out.tail(rest) = 0.5 * (a.tail(rest) + b.head(rest));
}

}  // namespace

HaarShrinker::HaarShrinker(std::int64_t steps)
    : steps_(steps),
      levels_(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(steps))) - 1),
      details_(static_cast<std::size_t>(levels_)),
      shrunk_(static_cast<std::size_t>(levels_)) {
  if (levels_ == 0) return;
  for (std::int64_t scale = 1; scale <= 8 * steps; scale *= 4) scales_.push_back(static_cast<double>(scale));
}

void HaarShrinker::analyse(const Eigen::ArrayXd& values) {
  smooth_ = values;
  for (int j = 0; j < levels_; ++j) {
    const Eigen::Index shift = Eigen::Index{1} << j, rest = steps_ - shift;
    Eigen::ArrayXd& detail = details_[static_cast<std::size_t>(j)];
    work_.resize(steps_);
    work_.head(rest) = smooth_.tail(rest);
    work_.tail(shift) = smooth_.head(shift);
    detail = (smooth_ - work_) * (0.5 * std::exp2(0.5 * (j + 1)));
    smooth_ = 0.5 * (smooth_ + work_);
  }
}

void HaarShrinker::shrink(double scale, bool only_risk, HaarShrunk& out) {
  const double length = static_cast<double>(steps_);
  double slopes = length * std::exp2(-levels_);
  out.residual.setZero(steps_);
  for (int j = levels_ - 1; j >= 0; --j) {
    const double support = std::exp2(j + 1);
    const double share = 1 / (1 + support / scale);
    const double odds = slab_prior(length / support) - 0.5 * std::log1p(kSlabVariance * share);
    Shrunk& level = shrunk_[static_cast<std::size_t>(j)];
    shrink_with_slab(details_[static_cast<std::size_t>(j)], share, odds, level);
    slopes += level.slope.sum() / support;
    level.residual *= std::exp2(-0.5 * (j + 1));
    work_ = out.residual - level.residual;
    level.residual += out.residual;
    average_with_shifted(level.residual, work_, Eigen::Index{1} << j, out.residual);
  }
  out.risk = out.residual.square().sum() + 2 * slopes - length;
  if (only_risk) return;
  // The mean over the wavelets that cover t is a product of averages with shifts 1, 2, 4, ...: shared by all levels
  // when the highest goes first.
  out.variance.setConstant(steps_, std::exp2(-levels_));
  for (int j = levels_ - 1; j >= 0; --j) {
    work_ = out.variance + shrunk_[static_cast<std::size_t>(j)].slope * std::exp2(-(j + 1));
    average_with_shifted(work_, work_, Eigen::Index{1} << j, out.variance);
  }
}

}  // namespace chronoveil::post
