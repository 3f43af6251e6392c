#include "chronoveil/noise/strips.h"

#include <algorithm>
#include <cmath>

namespace chronoveil::noise {

namespace {

constexpr std::uint64_t kTotalWeight = std::uint64_t{kColumns} << kAliasCoinBits;

// Integers on the safe side of c f: near_density allows for its own error, and 1e-200 for a density it calls 0.
std::uint64_t at_least(double c_f) {
  return static_cast<std::uint64_t>(std::ceil(c_f * (1 + kNearDensityError) + 1e-200));
}
std::uint64_t at_most(double c_f) { return static_cast<std::uint64_t>(std::floor(c_f * (1 - kNearDensityError))); }

// P, q and the unit.
void choose_widths(Law law, double scale, double reach, Strips& strips) {
  const double scale_in_whole_units = is_rounded(law) ? 2 * scale : scale;
  // The least power of two with kStrips strips reaching that far; any power would do for exactness.
  const int strip_log2 = std::ilogb(reach * scale_in_whole_units / kStrips) + 1;
  strips.strip_bits = static_cast<unsigned>(std::max(strip_log2, 0));
  strips.unit_bits = is_rounded(law) ? static_cast<unsigned>(std::max(-strip_log2, 0)) : 0;
  strips.curve.scale = std::ldexp(scale_in_whole_units, static_cast<int>(strips.unit_bits));  // exact

  // A block must lower f by e at least: 2^q >= scale for Laplace, 2^q >= scale^2 / (end of the strips) for Gauss, as
  // phi(x + 2^q) - phi(x) >= x 2^q / scale^2. The factor covers the rounding of this very line.
  const double end = std::ldexp(static_cast<double>(kStrips), static_cast<int>(strips.strip_bits));
  const double least_block =
      strips.curve.gaussian ? strips.curve.scale * (strips.curve.scale / end) * (1 + 1e-9) : strips.curve.scale;
  strips.block_bits = static_cast<unsigned>(std::max(std::ilogb(least_block) + 1, 0));
}

// c, the steps and the table.
void build_tables(Law law, Strips& strips) {
  const auto left_edge = [&](std::size_t strip) {
    return std::ldexp(static_cast<double>(strip), static_cast<int>(strips.strip_bits));
  };
  // The last position of a strip of a discrete law is an integer; of a rounded law, the beginning of the next strip.
  const double last = is_rounded(law) ? 0.0 : 1.0;
  std::vector<double> left(kStrips + 1), right(kStrips);
  for (std::size_t i = 0; i <= kStrips; ++i) left[i] = near_density(strips.curve, left_edge(i));
  for (std::size_t i = 0; i < kStrips; ++i) right[i] = near_density(strips.curve, left_edge(i + 1) - last);

  // Block J is 2^-(J+1) tail_height 2^(P-q) high and must be at least c f(its left edge) <= c f(end) 2^-J.
  const double tail =
      std::ldexp(left[kStrips], static_cast<int>(strips.block_bits) - static_cast<int>(strips.strip_bits) + 1);
  double area = tail;
  for (std::size_t i = 0; i < kStrips; ++i) area += left[i];

  // The largest c for which all that is rounded up still fits; the slack of 2 per strip more than covers the rounding.
  strips.factor = static_cast<std::uint64_t>(static_cast<double>(kTotalWeight - 2 * kColumns) / area);
  const auto c = static_cast<double>(strips.factor);

  std::vector<std::uint64_t> weights(kColumns);
  strips.inner.resize(kStrips);
  strips.sliver_begin.resize(kStrips + 2);
  std::uint64_t used = 0, slivers = 0;
  for (std::size_t i = 0; i < kStrips; ++i) {
    const std::uint64_t outer = at_least(c * left[i]);
    weights[i] = at_most(c * right[i]);
    strips.inner[i] = static_cast<std::uint32_t>(weights[i]);
    strips.sliver_begin[i] = static_cast<std::uint32_t>(slivers);
    slivers += outer - weights[i];
    used += weights[i];
  }
  strips.sliver_begin[kStrips] = static_cast<std::uint32_t>(slivers);
  strips.sliver_begin[kStrips + 1] = static_cast<std::uint32_t>(slivers + at_least(c * tail));
  strips.beside_weight = kTotalWeight - used;
  weights[kBeside] = strips.beside_weight;
  strips.columns = make_alias_table(weights);
}

}  // namespace

Strips make_strips(Law law, double scale, double reach) {
  Strips strips;
  strips.curve = {is_gaussian(law), scale};
  choose_widths(law, scale, reach, strips);
  build_tables(law, strips);
  return strips;
}

}  // namespace chronoveil::noise
