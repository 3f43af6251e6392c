// A noisy sum over a noisy count; the presence of people is protected, too: one person added or removed.
//   m_ub      means.max_records, fixed in advance
//   Sum       of all values above the lower bound; one person adds at most U m_ub
//   Count     of records; one person adds at most m_ub. On a grid of 2^-20 records, so that its noise is not rounded
//             to whole ones
//   Privacy   Laplace: half of the share each. Gaussian: both together, √(2c) sensitivities over a person's c cells
//   Cells     all alike: cells without records get noise as well, and the noisy count alone decides what is published
//   Interval  both noises within 1 − (1 − level)/2, and all ratios in that box; the count is at least 1
//   Tape      sum (in units of a value), then count (in records), cell by cell
//   Edges     a noisy count below sparse_below, which is at least 1: sparse
#pragma once

#include "chronoveil/mechanisms/cell_mechanism.h"

namespace chronoveil::mechanisms {

const CellMechanism& sum_over_count();

}  // namespace chronoveil::mechanisms
