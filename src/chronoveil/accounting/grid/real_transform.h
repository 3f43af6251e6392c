// The discrete Fourier transform of real numbers, for sizes 2^a, 3·2^a and 5·2^a that 4 divides.
//   z_k = Σ_j x_j e^{−2πi jk/n}, k = 0..n/2; the other half is its mirror image
//   Error   ‖computed − exact‖₂ <= kTransformError log₂(n) 2^−53 ‖exact‖₂, either way. A round of radix 2 with roots of
//           unity good to a unit adds at most 1 + 4√2 units [Higham02, Thm 24.2], one of radix 4 less than two of them.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace chronoveil::accounting {

inline constexpr double kTransformError = 8;

// The smallest size that is at least n.
long transform_size(long n);

// For one size. Not for use by several threads at once.
class RealTransform {
 public:
  explicit RealTransform(std::size_t size);

  // x holds `size` numbers; re and im hold size/2 + 1.
  void forward(const double* x, double* re, double* im);
  void inverse(const double* re, const double* im, double* x);

 private:
  // Takes transforms of radix × left points apart into those of `left` points.
  struct Round {
    std::size_t radix, left;
    std::vector<double> re, im;  // e^{−2πi jp / (radix × left)} for p = 0..left−1, by j = 1..radix−1
  };
  struct Points {
    std::vector<double> re, im;
  };
  std::pair<double, double> root(std::size_t k) const;
  // Of the points in from_, in place.
  void transform();

  std::size_t size_;
  std::vector<double> turn_re_, turn_im_;  // e^{−2πi k/size}, k = 0..size/4
  std::vector<Round> rounds_;
  Points from_, to_;
};

}  // namespace chronoveil::accounting
