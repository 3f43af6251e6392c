// Fresh noise on what a window reads, which hides one change [Schuchardt25]: σ_C v on the context and σ_F v on the
// forecast, v the public size of one change, of all channels of a step together in the 2-norm.
//   Law       a value is rounded to a grid h <= min(σ, 1) v / 2^20 and gets rounded N(0, s²), s = σ (v + h √D):
//             rounding adds at most h √D to a change of v, so it is hidden as well as by N(0, (σ v)²) on unrounded
//             values
//   Once      one draw per element, before it is filled, scaled, read as a lag or as a label: all of these use the
//             noisy value
//   Nothing   padding is public and gets none; a missing value stays missing. That a value is missing is not hidden
//   Edges     σ = 0: no noise. Values beyond 2^61 h are limited to it, which can only make a change smaller
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "chronoveil/base/draw_right.h"
#include "chronoveil/base/result.h"
#include "chronoveil/forecasting/windows.h"
#include "chronoveil/noise/grid/grid.h"
#include "chronoveil/noise/sampler.h"

namespace chronoveil::neural {

struct AugmentationNoise {
  double context = 0, label = 0;  // σ_C, σ_F
  double unit = 1;                // v
  std::int64_t channels = 1;      // D
};

class Augmentation {
 public:
  // Refused (usage, naming context_noise, label_noise or noise_unit): a σ outside [0, 2^18], a v that is not
  // positive or beyond 2^900, a v or σ v below 2^-900.
  static Result<Augmentation> make(const AugmentationNoise&);

  bool any() const { return context_ || label_; }

  // A panel with one series per window: what the window reads of its series, with noise. `windows` become those of the
  // new panel. How many bits are used depends on the windows alone, not on values.
  Result<forecasting::Panel> apply(const forecasting::Panel&, const forecasting::WindowShape&,
                                   std::vector<forecasting::Window>& windows, DrawRight&) const;

 private:
  struct Noise {
    noise::Grid grid;
    noise::GridBounds bounds;
    noise::Sampler sampler;
    void add_to(std::span<float> values, BitSource&) const;
  };
  static Result<std::optional<Noise>> noise_of(const char* name, double sigma, const AugmentationNoise&);

  std::optional<Noise> context_, label_;
};

}  // namespace chronoveil::neural
