#include "chronoveil/temporal/two_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "chronoveil/noise/uniform.h"

namespace chronoveil::temporal {
namespace {

int doublings(double epsilon, std::int64_t heavy) {
  // 1.4426950408 is less than log2(e), by more than rounding can add: 2^t <= e^ε.
  const int below_ratio = static_cast<int>(epsilon * 1.4426950408);
  return std::min(below_ratio, 62 - static_cast<int>(std::bit_width(static_cast<std::uint64_t>(heavy))));
}

// ε = x / scale, exactly: its 53 bits as an integer over a power of two.
DensityCoin light_coin(double epsilon, int t) {
  int exponent = 0;
  const double mantissa = std::frexp(epsilon, &exponent);
  return DensityCoin(std::ldexp(1.0, 53 - exponent), static_cast<std::int64_t>(std::ldexp(mantissa, 53)), t);
}

}  // namespace

TwoWeights::TwoWeights(double epsilon, std::int64_t heavy, std::int64_t light)
    : heavy_(heavy),
      doublings_(doublings(epsilon, heavy)),
      heavy_weight_(static_cast<std::uint64_t>(heavy) << doublings_),
      all_(heavy_weight_ + static_cast<std::uint64_t>(light)),
      keeps_light_(light_coin(epsilon, doublings_)) {}

std::int64_t TwoWeights::operator()(BitSource& bits) const {
  for (;;) {
    const std::uint64_t proposal = noise::uniform_below(all_, bits);
    if (proposal < heavy_weight_) return static_cast<std::int64_t>(proposal >> doublings_);
    if (keeps_light_(bits)) return heavy_ + static_cast<std::int64_t>(proposal - heavy_weight_);
  }
}

}  // namespace chronoveil::temporal
