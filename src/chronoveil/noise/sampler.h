// Exact sampler for the four laws of noise, in grid steps. It sees bits, never data.
//
// Method: rejection from strips under a step function (strips.h), with integers all the way. A uniform point under the
// outer steps is drawn and kept when it is below c f: what is kept has a position with density proportional to f,
// exactly, whatever the steps are.
//   - A point below the inner step is kept without a further look, and only the integer part of its position is ever
//     used, so one 64-bit word gives column, coin, sign and position: some 98 draws in 100.
//   - All the rest is one further outcome of the table. It draws which sliver or block, and then decides by accepts(),
//     whose lazily extended bits make the comparison with the irrational c f exact.
//   So every probability is a ratio of integers or an exact comparison: the law is the stated law, with no
//   total-variation distance to charge.
//
// Edges: results are limited to +-kNoiseLimit = 2^62 (a probability below exp(-2^20) even at the largest scale). That
// is no error when values are within +-kValueLimit = 2^61 and the sum is limited to the same, as add_noise() does: a
// sum with noise beyond 2^62 is beyond 2^61 in any case, so the limited sum is a function of the unlimited one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>

#include "chronoveil/base/bit_source.h"
#include "chronoveil/base/result.h"
#include "chronoveil/noise/acceptance.h"
#include "chronoveil/noise/law.h"
#include "chronoveil/noise/strips.h"

namespace chronoveil::noise {

inline constexpr double kSmallestScale = 0x1p-40;  // in grid steps
inline constexpr double kLargestScale = 0x1p40;
inline constexpr std::int64_t kNoiseLimit = std::int64_t{1} << 62;
inline constexpr std::int64_t kValueLimit = std::int64_t{1} << 61;

// Changes how draws are made and how fast, never their law. Tests use it to send many draws along rare paths.
struct Tuning {
  Route route = Route::quick_then_wide;
  std::optional<double> reach;  // default_reach(law) when absent; between 1/2 and 16
};

class Sampler {
 public:
  // `scale` in grid steps, the exact rational that the double is; refused outside [kSmallestScale, kLargestScale].
  static Result<Sampler> make(Law, double scale, const Tuning& = {});

  // One draw, and many independent draws. Both follow the same law, but consume bits differently.
  std::int64_t operator()(BitSource&) const;
  void fill(std::span<std::int64_t> out, BitSource&) const;

  Law law() const { return law_; }
  double scale() const { return scale_; }

 private:
  Sampler(Law, double scale, const Tuning&);

  struct Draw {
    std::int64_t value;
    bool kept;
  };
  template <bool kRounded>
  Draw draw(std::uint64_t word, BitSource&) const;
  template <bool kRounded>
  Draw draw_beside(std::uint64_t word, BitSource&) const;
  template <bool kRounded>
  Draw signed_value(Uint128 position, bool negative) const;
  template <bool kRounded>
  void fill_with(std::span<std::int64_t> out, BitSource&) const;

  Law law_;
  double scale_;
  Route route_;
  Strips strips_;
};

// value + noise, both limited to +-kValueLimit; |noise| <= kNoiseLimit. Limiting the value first cannot raise a
// sensitivity; limiting the sum is post-processing. The noise itself is never cut off in between.
constexpr std::int64_t add_noise(std::int64_t value, std::int64_t noise) {
  return std::clamp(std::clamp(value, -kValueLimit, kValueLimit) + noise, -kValueLimit, kValueLimit);
}

}  // namespace chronoveil::noise
