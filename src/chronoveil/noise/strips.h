// The step function under which noise is drawn, and the table that draws from it.
//
//   The magnitude |X| is measured in units (half grid steps or a fraction of them for a rounded law, grid steps for a
//   discrete one). Strip i covers the positions [i 2^P, (i + 1) 2^P); over it the density f, times an integer constant
//   c, lies between integers inner_i <= c f <= outer_i. Beyond the last strip follow blocks J = 0, 1, ... of 2^q units,
//   each half as high as the one before: one block lowers f by a factor of at least e > 2, so these steps, too, stay
//   above c f, however far out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chronoveil/noise/acceptance.h"
#include "chronoveil/noise/alias_table.h"
#include "chronoveil/noise/law.h"

namespace chronoveil::noise {

inline constexpr unsigned kColumnBits = 10;
inline constexpr std::size_t kColumns = std::size_t{1} << kColumnBits;
inline constexpr std::size_t kStrips = kColumns - 1;
inline constexpr std::size_t kBeside = kStrips;  // the outcome of the table that is not a strip

struct Strips {
  Curve curve{};             // in units
  unsigned unit_bits = 0;    // a half grid step has 2^unit_bits units (rounded laws)
  unsigned strip_bits = 0;   // P
  unsigned block_bits = 0;   // q
  std::uint64_t factor = 0;  // c

  // Outcome i < kStrips has weight inner[i]: a point under the step that is under the curve for certain. Outcome
  // kBeside has the rest: the slivers between inner and outer steps, then the tail, then what rounds the total up.
  std::vector<AliasColumn> columns;
  std::vector<std::uint32_t> inner;
  std::vector<std::uint32_t> sliver_begin;  // of each strip, then of the tail, then of what rounds up
  std::uint64_t beside_weight = 0;

  std::uint64_t outer(std::size_t strip) const {
    return inner[strip] + (sliver_begin[strip + 1] - sliver_begin[strip]);
  }
  // The tail has the weight of a strip of this height. Its block J gets 2^-(J+1) of that on 2^q units instead of 2^P.
  std::uint64_t tail_height() const { return sliver_begin[kStrips + 1] - sliver_begin[kStrips]; }
};

// How many scales the strips cover at least; what is left to the tail is 3e-4 (Laplace) and 6e-7 (Gauss).
constexpr double default_reach(Law law) { return is_gaussian(law) ? 5.0 : 8.0; }

// Precondition: 2^-40 <= scale <= 2^40 grid steps; 1/2 <= reach <= 16.
Strips make_strips(Law, double scale, double reach);

}  // namespace chronoveil::noise
