// How large the coefficients a = Fᵀz of a series on the curves of its fold are, learned from the S_o others; seven
// options, each a mean μ and a share D kept of what differs from it:
//   0       free      μ = 0,          D = 1
//   1..3    absolute  μ = 0,          D_j = αγ_j/(1 + αγ_j),   α = 0.1, 1, 10
//   4..6    relative  μ_j = β_j c_0,  D_j = g/(1 + g),  g = ατ_j max(c_0², 1):  curves in proportion to size
// with c_0 = √T · mean of z, and over the others
//   γ_j = max(10⁻⁶, mean of a_j² − 1)
//   β_j = Σ w a_j c_0 / Σ w c_0²,   τ_j = max(10⁻⁸, Σ w² k ((a_j − β_j c_0)² − 1) / Σ w² k²),   denominators at least
//   10⁻¹², five times from τ = 1, with k = max(c_0² − 1, 0), w = 1/(1 + τ_j k)
#pragma once

#include <Eigen/Core>
#include <cmath>

namespace chronoveil::post::joint {

inline constexpr Eigen::Index kOptions = 7;

// c_0 of a series.
inline double size_of(Eigen::Ref<const Eigen::ArrayXd> z) { return z.sum() / std::sqrt(static_cast<double>(z.size())); }

class Loadings {
 public:
  // `coefficients`: a, one column for each of the others; `sizes`: their c_0.
  Loadings(const Eigen::ArrayXXd& coefficients, const Eigen::ArrayXd& sizes);

  // 1 − D for one series: one row per curve, one column per option.
  Eigen::ArrayXXd dropped(double size) const;
  // (1 − D)(a − μ) for one series, in the same form.
  Eigen::ArrayXXd residual(const Eigen::ArrayXd& a, double size) const;

 private:
  Eigen::ArrayXd gamma_, beta_, tau_;
};

}  // namespace chronoveil::post::joint
