// Keeps each step with probability p, adds independent rounded Gaussian noise to the kept steps, interpolates.
//   Privacy   δ(ε) = Σ_k Bin(k; I, p) G_{e^ε}(√k c/σ), exactly: J, the kept positions, is public and independent of
//             the data, and a person who changes I of them by at most c each changes Bin(I, p) kept ones      [Koga22]
//   Several   J is drawn over all series × T positions at once, so that a person's I pairs (series, slot) may lie in
//   series    any series: the release is that of one long series
//   Error     kept steps unbiased with variance σ²; between them the error of the interpolation is added
//   Edges     p = 1 is `gaussian`. No kept step: the series is published as 0 with the interval [0, maximum]. J is not
//             drawn again: a condition on J would divide δ by its probability, and the event has no field for
//             conditions. The chance is (1 − p)^T per series, a public number.
//             P(Bin(I, p) > 0) <= δ is refused: δ alone would cover the release without any noise.
//   Limits    unit user only: the analysis is of I positions that change by at most c each. Under `event` one position
//             changes, and keeping it with probability p barely helps (for δ below p, σ is that of a smaller δ/p).
//             Needs δ > 0. `published` is Theorem 2 of [Koga22] with the classical Gaussian constant.
// In the plan, `sensitivity` is c, what one kept step can change: the event's noise_multiplier is σ / c.
#pragma once

#include "chronoveil/mechanisms/series_mechanism.h"

namespace chronoveil::mechanisms {

const SeriesMechanism& subsample();

// Shared with filter_subsample.

// rate in (0, 1] and a known interpolation.
Result<void> check_resampling(const Parameters&);
// Refused (usage): an open event with a rate so small that δ alone would cover what is kept (chance_of_use.h).
Result<void> check_use(const accounting::Event& open, double delta);
// Draws J by the plan's rate, then noise for the kept indices only, in their order.
Result<Measurement> measure_kept(const SeriesPlan&, std::span<const std::int64_t> indices, Draws&);
// Every series by itself, by the plan's interpolation.
Result<Estimate> reconstruct_kept(const SeriesPlan&, const Measurement&);

}  // namespace chronoveil::mechanisms
