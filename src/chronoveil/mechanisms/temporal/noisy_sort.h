// noisy_sort: values leave in the order of their step plus noise, ties in an order drawn afresh.
//   Law       temporal/noisy_sorting.h: discrete Laplace of scale 2(k-1)/ε, or the staircase of base/staircase.h
//   Privacy   pure ε; with `max_shift` m, which bounds how late a value leaves, some δ > 0 more
//   Choices   `law` = "auto": the one that moves values less far, by expected_moves()
//             `max_shift` = "auto": "none" for a whole file; for a stream the smallest m within (ε, δ)
//   Event     says the plateau of a staircase, so that what was drawn never depends on the rule that chose it
//   Edges     a stream needs δ > 0, however small
#pragma once

#include "chronoveil/mechanisms/temporal_mechanism.h"

namespace chronoveil::mechanisms {

const TemporalMechanism& noisy_sort();

}  // namespace chronoveil::mechanisms
