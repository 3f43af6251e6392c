// Shared by the mechanisms: parameters, and the least noise that fits a request.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

// The request's parameters with the mechanism's defaults filled in; see parameters.h.
Result<Parameters> resolved(const Request&, const SeriesMechanism&);

// ε > 0, δ in [0, 1), a level in (0, 1), T >= 1, series >= 1, caps >= 1, numbers that are exact as doubles (at most
// 2^53), a unit that the mechanism protects, δ > 0 where it is needed.
Result<void> check_request(const Request&, const SeriesMechanism&);

// The parameter `season`: 0 (none), or between 2 and T.
Result<void> check_season(const Parameters&, std::int64_t steps);

// A power of two, at most scale / 2^20 and at most 1. Otherwise as fine as the sampler (scale <= 2^40 steps, half of it
// left for what rounding adds to a sensitivity) and values up to `largest` (2^60 steps) allow, so that rounding
// fractions loses nothing noticeable. Refused: a scale below 2^-20, where the 2^61 grid steps would leave hardly any
// room for the values themselves.
Result<double> grid_for(double scale, double largest);

// The least noise for `open` (an event whose noise_multiplier is kToCalibrate) within the request's (ε, δ).
// `sensitivity(grid)`: how far one neighbour moves what is measured, after rounding to that grid, in counts, rounded
// up; what is exact on every grid ignores the argument. The scale is noise_multiplier × sensitivity, rounded up.
// `largest`: what the grid makes room for; by default the maximum.
// A published analysis applies only if the mechanism has one and the noise is Gaussian; all else is certified.
Result<SeriesPlan> calibrated(const Request&, const SeriesMechanism&, Parameters, NoiseKind,
                              const accounting::Event& open, const std::function<double(double grid)>& sensitivity,
                              std::optional<double> largest = std::nullopt);

// Laplace noise on counts, b = Δ₁/ε: calibrated at δ = 0 whatever the request's δ, so that the guarantee is pure.
Result<SeriesPlan> pure_laplace(const Request&, const SeriesMechanism&, Parameters);

// Counts as grid indices; exact, since a grid step is 1 or a fraction of it. Indices are cut to the noise's value
// limit, which cannot raise a sensitivity.
std::int64_t on_grid(std::int64_t count, double grid);
std::vector<std::int64_t> on_grid(std::span<const std::int64_t> counts, double grid);
std::vector<double> off_grid(std::span<const std::int64_t> indices, double grid);

// Noise on every count, one value per step: the measurement of laplace, gaussian, event and shrink.
Result<Measurement> measure_every_step(const SeriesPlan&, std::span<const std::int64_t> counts, Draws&);

// Checks that the measurement has every value that the plan measures, before reconstruction.
Result<void> check_complete(const SeriesPlan&, const Measurement&);

// The measured values as they are, each with the interval of its own noise.
Result<Estimate> reconstruct_every_step(const SeriesPlan&, const Measurement&);

// Half the width of a two-sided interval that holds one draw of the noise with probability `level`.
//   Laplace −b ln(1 − level), Gaussian σ √2 erf⁻¹(level)
double noise_half_width(NoiseKind, double scale, double level);

// The same for a weighted sum of independent draws with this standard deviation in all. Exact for Gaussian noise. A sum
// of Laplace draws lies between one draw and its normal limit, so the wider of the two is taken.
double combined_half_width(NoiseKind, double deviation, double level);

// √2 b or σ.
double standard_deviation(NoiseKind, double scale);

}  // namespace chronoveil::mechanisms
