// The means of best-fit arrays, in whole steps of the value grid.
//   A_i = floor(S_i / w_i + 1/2), S_i the sum of the w_i values in array i
//   Values    the first min(m_l, m_ub) of each user of the array
//   Reach     in [0, U]: a rounded mean of values in [0, U] stays within
//   Privacy   nobody is in two arrays, so new values of one user move one A_i, anywhere in [0, U] if it is theirs alone
#pragma once

#include <cstdint>
#include <vector>

#include "chronoveil/bound/cells/bounded_cells.h"
#include "chronoveil/mechanisms/cells/parts/grouping.h"

namespace chronoveil::mechanisms {

// `arrays` must be those of the cell's counts for this m_ub.
std::vector<std::uint32_t> array_means(const bound::CellView&, const BestFit& arrays, std::int64_t m_ub);

}  // namespace chronoveil::mechanisms
