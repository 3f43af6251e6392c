// The estimators of a series that know what the other folds have in common. With c_0, a = Fᵀz and q = z − Fa,
// a candidate is (spectrum i, loading option o, roughness ω):
//   y = M̄_i q + F (1 − D_o)(a − μ_o),   residual e = y/(1 + ωE),   estimate z − e
//   M̄_i multiplies cosine coefficient k by u_k = 1/(1 + ((πκ/T)²/μ_k)^m), u_0 = 0: m = 1, 2, κ = 1/4, 1/2, 1, ... up
//       to 8T, the spectra of shrink with w = 0; the last of them is u = 1 for k > 0, "nothing but factors"
//   ω = 0, 0.03, 0.1, 0.3, 1, 3
// Given the other folds it is affine in z, and Stein's estimate of its risk is [Stein81]
//   R = Σ_t e_t² + T − 2 Σ_t (B_i(t) + Q_o(t))/(1 + ωE(t))
//   B_i(t) = spread(u_i)(t) − Σ_j F_tj (M̄_i F)_tj,   Q_o(t) = Σ_j (1 − D_j) F_tj²
// exact but for one term: c_0 in μ and D matters only where E varies in time, and is left out. The posterior variance
// of step t is 1 − (B_i + Q_o)/(1 + ωE), the divergence its sum.
//   Edges   without curves all options are the same; they keep their numbers
#pragma once

#include <Eigen/Core>
#include <vector>

#include "chronoveil/post/joint/factors.h"
#include "chronoveil/post/joint/loadings.h"
#include "chronoveil/post/shrink/dictionary.h"

namespace chronoveil::post::joint {

inline constexpr double kRoughness[] = {0, 0.03, 0.1, 0.3, 1, 3};  // ω
inline constexpr Eigen::Index kRoughnesses = 6;

// What the other folds tell a fold, made ready for its series.
class Candidates {
 public:
  Candidates(Dictionary&, Factors, const Eigen::ArrayXd& envelope, Loadings);

  Eigen::Index spectra() const { return shares_.cols(); }
  Eigen::Index count() const { return spectra() * kOptions * kRoughnesses; }
  Eigen::Index number(Eigen::Index spectrum, Eigen::Index option, Eigen::Index roughness) const {
    return (spectrum * kOptions + option) * kRoughnesses + roughness;
  }
  double shared() const { return factors_.shared; }

  // R of every candidate for a series and its cosine coefficients. The basis is of the thread that asks.
  Eigen::ArrayXd risks(CosineBasis&, Eigen::Ref<const Eigen::ArrayXd> z,
                       Eigen::Ref<const Eigen::ArrayXd> coefficients) const;
  MixturePart part(CosineBasis&, Eigen::Ref<const Eigen::ArrayXd> z, Eigen::Ref<const Eigen::ArrayXd> coefficients,
                   Eigen::Ref<const Eigen::ArrayXd> weights) const;

 private:
  struct OneSeries {
    Eigen::ArrayXd q, coefficients;  // q and its cosine coefficients
    double size = 0;                 // c_0
    Eigen::MatrixXd curves;          // F (1 − D)(a − μ), one column per option
  };
  OneSeries prepared(Eigen::Ref<const Eigen::ArrayXd> z, Eigen::Ref<const Eigen::ArrayXd> coefficients) const;
  // M̄_i q of some spectra, one column each.
  Eigen::MatrixXd smoothed(CosineBasis&, const OneSeries&, const std::vector<Eigen::Index>& spectra) const;

  Factors factors_;
  Loadings loadings_;
  Eigen::ArrayXXd shares_;               // u, one column per spectrum
  Eigen::ArrayXXd damping_;              // 1/(1 + ωE), one column per ω
  Eigen::MatrixXd curve_coefficients_;   // the cosine coefficients of F
  Eigen::MatrixXd squared_curves_;       // F²
  Eigen::MatrixXd dropped_by_spectrum_;  // B, one column per spectrum
  Eigen::MatrixXd spectrum_sums_;        // Σ_t B_i/(1 + ωE)
  Eigen::MatrixXd curve_sums_;           // Σ_t F_tj²/(1 + ωE)
};

}  // namespace chronoveil::post::joint
