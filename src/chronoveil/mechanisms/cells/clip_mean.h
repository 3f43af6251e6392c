// The mean of the first m_ub values of every user: nobody counts for more.
//   Sum       of the first min(m_l, m_ub) values of each user; new values of one user move it by at most
//             U min(m_ub, max m_l). Divided by Σ min(m_l, m_ub)
//   Privacy   Laplace(U min(m_ub, max m_l) / (share Σ min)) in the mean, or Gaussian noise priced over all cells
//   Error     what is cut off biases it towards users with few records
//   Edges     m_ub beyond every m_l is the baseline
#pragma once

#include "chronoveil/mechanisms/cell_mechanism.h"

namespace chronoveil::mechanisms {

const CellMechanism& clip_mean();

}  // namespace chronoveil::mechanisms
