// The mean of all values of a cell, with noise for what the user with the most records can change [Gupta24].
//   Sum       of all values; new values of one user move it by at most U max m_l. Divided by Σ m_l
//   Privacy   Laplace(U max m_l / (share Σ m_l)) in the mean, or Gaussian noise priced over all cells together
//   Error     unbiased; one user with many records makes it large for everybody
//   Edges     one user: sensitivity U
#pragma once

#include "chronoveil/mechanisms/cell_mechanism.h"

namespace chronoveil::mechanisms {

const CellMechanism& baseline();

}  // namespace chronoveil::mechanisms
