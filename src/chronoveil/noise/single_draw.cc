#include "chronoveil/noise/single_draw.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "chronoveil/noise/sampler.h"
#include "chronoveil/noise/uniform.h"

namespace chronoveil::noise {
namespace {

// k with probability 2^-(k+1)
std::int64_t block(BitSource& bits) {
  std::int64_t zeros = 0;
  for (;;) {
    const std::uint64_t word = bits.next_u64();
    zeros += std::countr_zero(word);  // 64 when there is no one in it
    if (word != 0) return zeros;
  }
}

}  // namespace

std::int64_t draw_once(Law law, double scale, BitSource& bits, Route route) {
  const Curve curve{is_gaussian(law), 2 * scale};
  const int length = std::ilogb(curve.scale) + 1;  // log2 L
  for (;;) {
    const std::int64_t k = block(bits);
    const std::uint64_t inside = uniform_below(std::uint64_t{1} << length, bits);
    const Uint128 position = (static_cast<Uint128>(k) << length) + inside;
    // height / (5 2^60) is below (4/5) 2^k exp(-phi) when height is below 2^(62 + k) exp(-phi).
    const std::uint64_t height = uniform_below(std::uint64_t{5} << 60, bits);
    if (!accepts(curve, {height, position, false, 1, 62 + k}, bits, route)) continue;
    const Uint128 nearest = std::min<Uint128>((position + 1) / 2, static_cast<Uint128>(kNoiseLimit));
    const auto magnitude = static_cast<std::int64_t>(nearest);
    return bits.next_u64() >> 63 != 0 ? -magnitude : magnitude;
  }
}

}  // namespace chronoveil::noise
