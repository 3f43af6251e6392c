// How the windows of a step are drawn, exactly as in the proof [Schuchardt25]. It sees bits and public lengths, never
// values, and every probability is exact.
//   top      iterate: disjoint groups of ⌊Λ/λ⌋ series in a fixed order, one epoch = every series once; the last group
//            of an epoch may be smaller
//            without_replacement: a fresh uniform subset of ⌊Λ/λ⌋ series every step
//   bottom   with_replacement: λ windows per series, uniform and independent
//            poisson: each window on its own with rate min(1, λ/T)
// Poisson may draw an empty batch: that is a step like any other. Series drawn without replacement come in random
// order: if one is exchanged for another, the rest keep their places in the batch. Rates are ratios of integers that
// the event of training has as well: ⌊Λ/λ⌋ of N series, one of T windows, λ of T. They are drawn as ratios, never as
// doubles, and the accountant forms its rates from the same integers, with the rounding that its bounds allow for: so
// what is priced is what runs.
#pragma once

#include <cstdint>
#include <vector>

#include "chronoveil/base/draw_right.h"
#include "chronoveil/base/result.h"
#include "chronoveil/forecasting/choices.h"
#include "chronoveil/forecasting/windows.h"

namespace chronoveil::forecasting {

class WindowSampler {
 public:
  // Refused (usage, naming the parameter): λ < 1, Λ < λ, ⌊Λ/λ⌋ greater than the number of series, L_C < 0, L_F < 1, a
  // series shorter than L_F. `lengths` in the order of the panel.
  static Result<WindowSampler> make(const SamplingScheme&, const WindowShape&, std::vector<std::int64_t> lengths);

  // The windows of step `step` (0, 1, ...), series by series. Without `iterate` the number does not matter. For a given
  // step under `iterate` the group is fixed; windows are fresh.
  Result<std::vector<Window>> draw(std::int64_t step, DrawRight&) const;

  // The most windows of a Poisson batch, whose size varies. 0 if all neighbours draw equally many.
  std::int64_t most_windows() const;
  // Steps per epoch: ⌈N / ⌊Λ/λ⌋⌉.
  std::int64_t steps_per_epoch() const;
  const SamplingScheme& scheme() const { return scheme_; }

 private:
  WindowSampler(const SamplingScheme&, const WindowShape&, std::vector<std::int64_t> lengths);
  std::vector<std::int64_t> draw_series(std::int64_t step, BitSource&) const;  // ascending

  SamplingScheme scheme_;
  std::vector<std::int64_t> windows_;  // T of each series
};

}  // namespace chronoveil::forecasting
