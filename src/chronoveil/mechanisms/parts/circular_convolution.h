// y_t = Σ_j k_j x_{(t−j) mod T}, exactly, in integers: what is priced and what runs must not differ by a rounding. A
// few coefficients are multiplied directly; many go through number-theoretic transforms modulo two primes p, q near
// 2^61 and the Chinese remainder, O(T log T) whatever the kernel.
//   Needs     k_j >= 0, x_t >= 0, and every y_t below 2^122 < p q (Σ k <= 2^50 and x < 2^63 make it 2^113)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace chronoveil::mechanisms {

__extension__ using WideSum = __int128;

enum class ConvolutionRoute { automatic, direct, transform };  // all give the same integers; tests ask for each

class CircularConvolution {
 public:
  explicit CircularConvolution(std::vector<std::int64_t> kernel, ConvolutionRoute = ConvolutionRoute::automatic);

  // x and y as long as the kernel.
  void apply(std::span<const std::int64_t> x, std::span<WideSum> y) const;

 private:
  std::vector<std::int64_t> kernel_;
  std::vector<std::uint64_t> transformed_[2];  // of the kernel, modulo each prime; empty on the direct route
};

}  // namespace chronoveil::mechanisms
