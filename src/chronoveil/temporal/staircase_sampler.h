// Draws from the staircase law of base/staircase.h with its plateau, exactly, by integers.
//   Method  a geometric level g, P(g) proportional to exp(-g/c) with c = key_scale(2, ε), which is 2/ε rounded up to a
//           double: a level costs 1/c <= ε/2. A discrete Laplace X of scale c gives it: X >= 0 and -X - 1 >= 0 both
//           follow it. Then one of 2(k - 1) points of the level, uniformly; the plateau has 2r - 1 only, so that a draw
//           of g = 0 with any other is made again
//   Edges   limited to +-noise::kNoiseLimit, as the noise of a Sampler is
#pragma once

#include <cstdint>
#include <span>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/result.h"
#include "chronoveil/noise/sampler.h"

namespace chronoveil::temporal {

class StaircaseSampler {
 public:
  // Refused: window below 2 or above kLargestWindow, and an epsilon whose key_scale(window, epsilon) or
  // key_scale(2, epsilon) is outside [noise::kSmallestScale, noise::kLargestScale].
  static Result<StaircaseSampler> make(std::int64_t window, double epsilon);

  std::int64_t operator()(BitSource&) const;
  void fill(std::span<std::int64_t> out, BitSource&) const;

  std::int64_t plateau() const { return plateau_; }

 private:
  struct Draw {
    std::int64_t value;
    bool kept;
  };
  StaircaseSampler(noise::Sampler levels, std::int64_t width, std::int64_t plateau)
      : levels_(std::move(levels)), width_(width), plateau_(plateau), last_level_(noise::kNoiseLimit / width + 2) {}
  Draw place(std::int64_t level_of_either_sign, BitSource&) const;

  noise::Sampler levels_;
  std::int64_t width_;  // k - 1
  std::int64_t plateau_;
  std::int64_t last_level_;  // lies wholly beyond the limit
};

}  // namespace chronoveil::temporal
