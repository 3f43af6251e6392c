// Draws from the staircase law of base/staircase.h, exactly, by integers.
//   Levels  a level costs 1/c <= ε/2, c = key_scale(2, ε), that is 2/ε rounded up to a double; u = e^(-1/c). A discrete
//           Laplace X of scale c gives a geometric g, P(g) = (1 - u) u^g: X >= 0 and -X - 1 >= 0 both follow it
//   Method  where u >= 1/2: a level g and one of 2(k - 1) points, uniformly; the plateau has only 2r - 1, so that g = 0
//           with any other point is drawn again. At least every second draw is kept. If u < 1/2 too few would be kept:
//           points of the plateau are proposed with weight 2^t <= 1/u and kept with probability 1 - u, those of the
//           levels 1 + g with weight 1 and kept with probability 2^t u; both come to 2^t (1 - u) u^level. At least
//           every fourth draw is kept
//   Edges   limited to +-noise::kNoiseLimit, like the noise of a Sampler
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/result.h"
#include "chronoveil/noise/sampler.h"
#include "chronoveil/temporal/density_coin.h"

namespace chronoveil::temporal {

class StaircaseSampler {
 public:
  // Refused: what check(NoisySortLaw) refuses. Without a plateau, that of staircase_plateau().
  static Result<StaircaseSampler> make(std::int64_t window, double epsilon,
                                       std::optional<std::int64_t> plateau = std::nullopt);

  std::int64_t operator()(BitSource&) const;
  // Many independent draws of the same law; they consume bits differently.
  void fill(std::span<std::int64_t> out, BitSource&) const;

  std::int64_t plateau() const { return plateau_; }

 private:
  struct Draw {
    std::int64_t value;
    bool kept;
  };
  StaircaseSampler(noise::Sampler levels, std::int64_t width, std::int64_t plateau);
  std::int64_t at(std::int64_t level, std::int64_t point) const;
  Draw place(std::int64_t level, BitSource&) const;
  std::int64_t draw_steep(BitSource&) const;

  noise::Sampler levels_;
  std::int64_t width_;  // k - 1
  std::int64_t plateau_;
  std::int64_t last_level_;  // lies wholly beyond the limit
  bool steep_;               // u < 1/2
  int doublings_;            // t
  DensityCoin falls_;        // of probability u: by one level
  DensityCoin keeps_level_;  // 2^t u
};

}  // namespace chronoveil::temporal
