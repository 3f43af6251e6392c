// The normal distribution, accurate in relative terms in both tails. Units: standard deviations.
#pragma once

namespace chronoveil::accounting {

// Relative error of every mass returned here by double functions, generously.
inline constexpr double kMassError = 2e-13;

// Φ(−x) = P(N(0,1) > x).
long double normal_tail(long double x);
// Φ(−x)/φ(x), Mills' ratio; for x >= −10.
long double mills_ratio(long double x);
long double log_normal_density(long double x);
// The x where `tail` of a standard normal lies above, at most 40.
double normal_quantile_above(double tail);
// P(lo < N(0,1) <= hi), without cancellation for narrow intervals.
double normal_interval(double lo, double hi);

// G_{e^ε}(μ) = Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ): the profile of N(μ,1) against N(0,1) [BalleWang18].
//   Edges   G(0) = max(0, 1 − e^ε); any real ε. Relative error below 1e-14 for normal results.
long double gaussian_profile(long double mu, long double epsilon);
// The same several times as fast, to a relative error of kQuickError, generously.
inline constexpr double kQuickError = 1e-11;
double quick_gaussian_profile(double mu, double epsilon);
// The same by α = e^ε, for α near 1 given as α − 1.
long double gaussian_profile_at(long double mu, long double alpha_minus_one);
// ∂G/∂(μ²) = φ(ε/μ − μ/2) / (2μ).
long double gaussian_profile_slope(long double mu, long double epsilon);

// Nodes and weights of the 8-point Gauss-Legendre rule on [−1, 1], positive half.
inline constexpr double kGaussNodes[4] = {0.18343464249564980494, 0.52553240991632898582, 0.79666647741362673959,
                                          0.96028985649753623168};
inline constexpr double kGaussWeights[4] = {0.36268378337836198297, 0.31370664587788728734, 0.22238103445337447054,
                                            0.10122853629037625915};
// The same for the 4-point rule.
inline constexpr double kFourNodes[2] = {0.33998104358485626480, 0.86113631159405257522};
inline constexpr double kFourWeights[2] = {0.65214515486254614263, 0.34785484513745385737};
// The widest interval on which the 8-point rule integrates a normal density near x to 1e-14: the remainder is
// w^17 (8!)^4 / (17 (16!)^3) |φ^(16)|, and |φ^(16)/φ| is about max(1, |x|)^16 where it matters.
double gauss_width(double x);

}  // namespace chronoveil::accounting
