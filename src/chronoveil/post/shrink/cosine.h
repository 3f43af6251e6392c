// The orthonormal cosine basis on T steps (DCT-II) and its inverse, in O(T log T) for every T.
//   φ_0(t) = √(1/T),  φ_k(t) = √(2/T) cos(πk(2t + 1)/(2T))
//   forward   c_k = Σ_t x_t φ_k(t)          inverse   x_t = Σ_k c_k φ_k(t)
//   spread    s_t = Σ_k v_k φ_k(t)²: the variance of step t when coefficient k has variance v_k, independently
// By one complex Fourier transform of length T [Makhoul80]; a T with a large prime factor goes through a convolution of
// a power-of-two length [Bluestein70].
//   Edges     T = 1: all three copy their input
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace chronoveil::post {

class CosineBasis {
 public:
  explicit CosineBasis(std::int64_t steps);
  ~CosineBasis();
  CosineBasis(CosineBasis&&) noexcept;

  std::int64_t steps() const { return steps_; }
  // `in` and `out` hold T values and may be the same.
  void forward(std::span<const double> in, std::span<double> out);
  void inverse(std::span<const double> in, std::span<double> out);
  // Two at once, in the time of one: the second travels as the imaginary part of the first. `first` and `second` are
  // replaced by what inverse() makes of each.
  void inverse_both(std::span<double> first, std::span<double> second);
  void spread(std::span<const double> variances, std::span<double> out);

 private:
  struct Fourier;
  std::int64_t steps_;
  std::unique_ptr<Fourier> fourier_;
  std::vector<std::complex<double>> turn_;  // exp(−iπk/(2T))
  std::vector<std::complex<double>> time_, frequency_;
  std::vector<double> folded_;
};

}  // namespace chronoveil::post
