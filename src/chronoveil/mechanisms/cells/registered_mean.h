// The mean over all registered people, whose presence is protected, too: one person replaced by another, with other
// records in other cells.
//   Sum       floor(mean of the person's values + 1/2) steps for everybody who is there, the public constant a for
//             everybody else. Divided by L, means.registered
//   Privacy   one cell: a person moves the sum by at most U. All cells: the old and the new person are in c cells each.
//             k cells are the same and change by at most U, the other 2(c − k) by at most w = max(a, U − a). With n
//             cells, k is in [max(0, 2c − n), c]: l1 = max of k + 2(c − k) w/U, l2² = max of k + 2(c − k) (w/U)², both
//             at an end. If noise is so large that sums are rounded to 2^j steps, w/U is taken after rounding
//   Error     absent people pull the mean towards a, which does no harm if a is near the truth
//   Edges     more people in a cell than are registered: bad data. sparse_below above L is refused: all cells would be
//             sparse
#pragma once

#include "chronoveil/mechanisms/cell_mechanism.h"

namespace chronoveil::mechanisms {

const CellMechanism& registered_mean();

}  // namespace chronoveil::mechanisms
