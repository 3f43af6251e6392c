// The dictionary of estimators (shrink.h) for several series at once: their risks, and mixtures of them under given
// weights. Everything is in units of the noise, as residuals e = z − x̂ rather than estimates: small differences
// between good estimates of a large value stay exact.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "chronoveil/post/shrink/cosine.h"
#include "chronoveil/post/shrink/haar.h"
#include "chronoveil/post/shrink/slab.h"
#include "chronoveil/post/shrink/spectra.h"

namespace chronoveil::post {

inline constexpr double kTemperature = 4;       // of the exponential weights, in σ² [LeungBarron06]
inline constexpr double kNegligible = 0x1p-70;  // weights below this cannot be seen in a double

template <class Array>
auto view(Array&& array) {
  return std::span(array.data(), static_cast<std::size_t>(array.size()));
}

// Some of a mixture's candidates taken together.
struct MixturePart {
  double weight = 0;         // Σ p_i
  Eigen::ArrayXd sum, mean;  // Σ p_i e_i, and that over the weight
  Eigen::ArrayXd variance;   // Σ p_i (variance_i + (e_i − mean)²)
  double divergence = 0;     // Σ p_i Σ_t variance_i(t): how much of its own noise an estimate contains, summed
};

struct Mixture {
  Eigen::ArrayXd residual;  // Σ p_i e_i over all parts
  Eigen::ArrayXd variance;  // Σ p_i (variance_i + (e_i − residual)²)
  double divergence = 0;
};
Mixture combined(Eigen::Index steps, const std::vector<MixturePart>&);

// p_i ∝ exp(−R_i/4) by row.
Eigen::ArrayXXd exponential_weights(const Eigen::ArrayXXd& risks);

class Dictionary {
 public:
  Dictionary(std::int64_t steps, std::int64_t season) : basis(steps), spectra(steps, season), haar(steps) {}

  Eigen::Index first_slab() const { return static_cast<Eigen::Index>(spectra.linear().size()); }
  Eigen::Index first_haar() const { return first_slab() + static_cast<Eigen::Index>(spectra.slab().size()); }
  Eigen::Index candidates() const { return first_haar() + static_cast<Eigen::Index>(haar.scales().size()); }

  CosineBasis basis;
  Spectra spectra;
  HaarShrinker haar;
};

// Some series, one column each; they share the spectra of one pass. kSize of them fit a cache for usual T.
class DictionaryBatch {
 public:
  static constexpr Eigen::Index kSize = 32;

  DictionaryBatch(Dictionary&, Eigen::Ref<const Eigen::ArrayXXd> values);

  const Eigen::ArrayXXd& coefficients() const { return coefficients_; }  // cosine coefficients of the values
  // One row per series, one column per candidate.
  Eigen::ArrayXXd risks();
  // One list per series; weights as risks.
  std::vector<std::vector<MixturePart>> parts(const Eigen::ArrayXXd& weights);

 private:
  void prepare_slab(Eigen::Index i);
  void shrink_slab(Eigen::Index series);

  Dictionary& dictionary_;
  Eigen::ArrayXXd values_, coefficients_;
  Eigen::ArrayXd share_, odds_, column_;
  Shrunk shrunk_;
  HaarShrunk haar_shrunk_;
};

}  // namespace chronoveil::post
