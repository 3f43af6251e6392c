// Draws the noise of keys, exactly: discrete Laplace of scale key_scale(k, ε), or the staircase; with max_shift m the
// same law given |X| <= m.
//   Method  with m, draws beyond it are made again, never clamped. If 2m + 1 is at most the weight of the whole law
//           (that of x = 0 being 1), more are kept by drawing uniform shifts in [-m, m], each kept with its relative
//           weight by an exact comparison. More than half of the draws are kept, except for plateaus far from
//           staircase_plateau() and m < k - 1: there at least one in √k
#pragma once

#include <cstdint>
#include <span>
#include <variant>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/noise/sampler.h"
#include "chronoveil/temporal/key_law.h"
#include "chronoveil/temporal/staircase_sampler.h"

namespace chronoveil::temporal {

class KeySampler {
 public:
  static Result<KeySampler> make(const NoisySortLaw&);

  std::int64_t operator()(BitSource&) const;
  // Many independent draws of the same law; they consume bits differently.
  void fill(std::span<std::int64_t> out, BitSource&) const;

 private:
  using Whole = std::variant<noise::Sampler, StaircaseSampler>;
  KeySampler(const NoisySortLaw&, Whole);
  bool within(std::int64_t shift) const {
    return !law_.max_shift || (-*law_.max_shift <= shift && shift <= *law_.max_shift);
  }
  double weight() const;                           // of the whole law
  std::int64_t step_of(std::int64_t shift) const;  // `step` in the weight exp(-step / scale)
  std::int64_t draw_flat(BitSource&) const;

  NoisySortLaw law_;
  Whole whole_;
  noise::Curve curve_;
  bool flat_;
};

}  // namespace chronoveil::temporal
