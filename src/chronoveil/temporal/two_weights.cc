#include "chronoveil/temporal/two_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "chronoveil/noise/uniform.h"

namespace chronoveil::temporal {

TwoWeights::TwoWeights(double epsilon, std::int64_t heavy, std::int64_t light) : heavy_(heavy) {
  // 1.4426950408 is less than log2(e), by more than rounding can add: 2^t <= e^ε.
  const int below_ratio = static_cast<int>(epsilon * 1.4426950408);
  doublings_ = std::min(below_ratio, 62 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(heavy))));
  heavy_weight_ = static_cast<std::uint64_t>(heavy) << doublings_;
  all_ = heavy_weight_ + static_cast<std::uint64_t>(light);
  // ε = position / scale, exactly: its 53 bits as an integer over a power of two.
  int exponent = 0;
  const double mantissa = std::frexp(epsilon, &exponent);
  position_ = static_cast<noise::Uint128>(std::ldexp(mantissa, 53));
  curve_ = {false, std::ldexp(1.0, 53 - exponent)};
}

std::int64_t TwoWeights::operator()(BitSource& bits) const {
  for (;;) {
    const std::uint64_t proposal = noise::uniform_below(all_, bits);
    if (proposal < heavy_weight_) return static_cast<std::int64_t>(proposal >> doublings_);
    const std::uint64_t height = bits.next_u64() >> 2;  // uniform in [0, 2^62) with the bits that follow
    if (noise::accepts(curve_, {height, position_, true, 1, 62 + doublings_}, bits))
      return heavy_ + static_cast<std::int64_t>(proposal - heavy_weight_);
  }
}

}  // namespace chronoveil::temporal
