#include "chronoveil/mechanisms/parts/total_estimate.h"

#include <array>
#include <cstddef>

namespace chronoveil::mechanisms {

TotalEstimate::TotalEstimate(const DecayingWeights& weights)
    : weights_(&weights),
      sums_(weights.keep.size(), 0.0),
      covariance_((sums_.size() + 1) * (sums_.size() + 2) / 2, 0.0) {}

void TotalEstimate::answered(double answer) {
  const std::size_t d = sums_.size();
  const std::vector<double>&keep = weights_->keep, &weight = weights_->weight;
  double estimate = answer;
  for (std::size_t j = 0; j < d; ++j) estimate -= weight[j] * sums_[j];
  for (std::size_t j = 0; j < d; ++j) sums_[j] = keep[j] * sums_[j] + estimate;
  total_ += estimate;
  has_answers_ = true;
  // With P the covariance and w = (ω, 0): e has the variance 1 + wᵀPw and the covariance −Pw with (σ, total).
  std::array<double, kMostDecays + 1> with{};  // Pw
  double variance = 1;
  for (std::size_t i = 0; i <= d; ++i) {
    for (std::size_t j = 0; j < d; ++j) with[i] += (i >= j ? covariance(i, j) : covariance(j, i)) * weight[j];
    if (i < d) variance += weight[i] * with[i];
  }
  for (std::size_t i = 0; i <= d; ++i) {
    const double kept = i < d ? keep[i] : 1;
    for (std::size_t j = 0; j <= i; ++j) {
      const double other = j < d ? keep[j] : 1;
      double& entry = covariance(i, j);
      entry = kept * other * entry - kept * with[i] - other * with[j] + variance;
    }
  }
}

void TotalEstimate::missed() {
  const std::size_t d = sums_.size();
  for (std::size_t i = 0; i < d; ++i) sums_[i] *= weights_->keep[i];
  for (std::size_t i = 0; i <= d; ++i)
    for (std::size_t j = 0; j <= i && j < d; ++j)
      covariance(i, j) *= (i < d ? weights_->keep[i] : 1) * weights_->keep[j];
}

void TotalEstimate::save(StateWriter& to) const {
  to.put(has_answers_);
  to.put(total_);
  for (const double sum : sums_) to.put(sum);
  for (const double entry : covariance_) to.put(entry);
}

void TotalEstimate::load(StateReader& from) {
  has_answers_ = from.flag();
  total_ = from.number();
  for (double& sum : sums_) sum = from.number();
  for (double& entry : covariance_) entry = from.number();
}

}  // namespace chronoveil::mechanisms
