// The running total of a series from noisy answers y_t = (C x)_t + noise, with the weights of decaying_weights.h.
// Post-processing: it sees answers alone.
//   Method    x̂_t = y_t − Σ_j ω_j ŝ_j, ŝ_j ← θ_j ŝ_j + x̂_t, total ← total + x̂_t: this is A C⁻¹ y, A the matrix of
//             prefix sums, a buffer at a time. What is answered at one step but not at another cannot make it biased.
//   Missing   x̂_t = 0, as the series had nothing to add: C⁻¹ of the rows and columns that were answered
//   Error     e_t = noise_t − Σ_j ω_j σ_j, σ_j the error of ŝ_j: unbiased, and the covariance of (σ_1, ..., σ_d, total)
//             follows from which steps were answered alone. Without gaps it is the variance of the noise times Σ b_k²,
//             b the first column of A C⁻¹. In floating point; a total is off by at most 10^-10 of itself.
#pragma once

#include <cstdint>
#include <vector>

#include "chronoveil/base/state_words.h"
#include "chronoveil/mechanisms/parts/decaying_weights.h"

namespace chronoveil::mechanisms {

class TotalEstimate {
 public:
  // The weights must outlive it.
  explicit TotalEstimate(const DecayingWeights&);

  void answered(double answer);
  void missed();

  double total() const { return total_; }
  double variance() const { return covariance_.back(); }  // of the total, in units of that of the noise
  bool has_answers() const { return has_answers_; }

  void save(StateWriter&) const;
  void load(StateReader&);

 private:
  double& covariance(std::size_t i, std::size_t j) { return covariance_[i * (i + 1) / 2 + j]; }  // i >= j

  const DecayingWeights* weights_;
  std::vector<double> sums_;  // ŝ
  double total_ = 0;
  bool has_answers_ = false;
  std::vector<double> covariance_;  // of the errors of all sums and, last, of the total: the lower triangle
};

}  // namespace chronoveil::mechanisms
