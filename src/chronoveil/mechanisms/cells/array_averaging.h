// The mean of the means of arrays, into which the values of users are grouped [Gupta24].
//   best_fit      Σ of floor(S_i / w_i + 1/2), the mean of each array in whole steps; nobody is in two arrays, so new
//                 values of one user move it by at most U. Divided by K̄: sensitivity U / K̄, partly filled arrays
//                 included
//   wrap_around   users end to end, each with the first min(m_l, m_ub) values; Σ of the first K m_ub values, which new
//                 values of one user move by at most U m_ub. Divided by K m_ub: sensitivity U / K
//   Published     of wrap_around: 2U / K [Gupta24], for a user may lie across two arrays. Valid but loose: the noise is
//                 twice what is needed, the price is as claimed, the event is what happens
//   Edges         K = 0: no array is full, which is public; the cell is sparse
#pragma once

#include "chronoveil/mechanisms/cell_mechanism.h"

namespace chronoveil::mechanisms {

const CellMechanism& array_averaging();

}  // namespace chronoveil::mechanisms
